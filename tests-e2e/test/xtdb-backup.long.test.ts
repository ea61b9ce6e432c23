import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

import { missingForXtdb } from "../src/stores/xtdb-node.ts";

const main = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));

test.skipIf(missingForXtdb() !== undefined)(
  "scm starts a node that outlives the command, backs it up while it runs, restores it elsewhere and stops it",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "scm-"));
    const scm = async (...argv: readonly string[]): Promise<string> => {
      const words = ["backup", "restore"].includes(argv[0] ?? "")
        ? [...argv, "--store", "xtdb"]
        : ["xtdb", ...argv];
      const start = ["--conditions=@self-context-manager/source", main, ...words];
      const { stdout } = await promisify(execFile)(process.execPath, start);
      return stdout;
    };
    const from = ["--at", join(folder, "from")];
    const to = ["--at", join(folder, "to")];
    const backup = join(folder, "backup.gz");
    try {
      const url = (await scm("start", ...from)).trim();
      const again = (await scm("start", ...from)).trim();
      const authorization = await authorizationOf(join(folder, "from"));
      await fetch(`${url}/_xtdb/submit-tx`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ "tx-ops": [["put", { "xt/id": "kept" }]] }),
      });
      const running = await scm("status", ...from);
      await scm("backup", backup, ...from);
      await scm("stop", ...from);
      const stopped = await scm("status", ...from);
      await scm("restore", backup, ...to);
      const restored = (await scm("start", ...to)).trim();
      const kept = await fetch(`${restored}/_xtdb/entity?eid=kept`, {
        headers: { authorization: await authorizationOf(join(folder, "to")) },
      });

      expect(again).toBe(url);
      expect(running).toMatch(/^state +running\nurl +http:\/\/127\.0\.0\.1:\d+\n/u);
      expect(running).toContain("until it is stopped");
      expect(stopped).toMatch(/^state +stopped\n/u);
      expect(kept.status).toBe(200);
    } finally {
      await scm("stop", ...from);
      await scm("stop", ...to);
      await rm(folder, { recursive: true, force: true });
    }
  },
);

async function authorizationOf(dataFolder: string): Promise<string> {
  return `Bearer ${(await readFile(join(dataFolder, "token"), "utf8")).trim()}`;
}
