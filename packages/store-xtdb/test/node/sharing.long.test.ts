import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";

import { joinNode, nodeStatus, prepareNode, startNode, stopNode } from "../../src/node/index.ts";
import { isAlive, untilGone } from "../../src/node/processes.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { buildTimeout, lacking } from "./tools-at-hand.ts";

const quick = { quick: true, linger: 500 };
/** Milliseconds for several starts on a machine that is busy with other tests. */
const startsTimeout = 90_000;

describe.skipIf(lacking !== undefined)("a node that processes share", () => {
  beforeAll(async () => {
    await prepareNode();
  }, buildTimeout);

  test(
    "processes that join share one node, which ends after the last has left or was killed",
    async () => {
      await using folder = await temporaryFolder();
      const dataFolder = folder.path;
      const [first, second] = await Promise.all([child(dataFolder), child(dataFolder)]);
      const together = await nodeStatus(dataFolder);

      first.process.kill("SIGKILL");
      await once(first.process, "exit");
      const joined = await joinNode({ ...quick, dataFolder });
      await joined.leave();
      const withOne = await nodeStatus(dataFolder);
      second.process.kill("SIGKILL");

      expect(second.pid).toBe(first.pid);
      expect(together.users).toEqual(
        [first.process.pid, second.process.pid].toSorted((a, b) => Number(a) - Number(b)),
      );
      expect(withOne).toMatchObject({ state: "running", users: [second.process.pid] });
      expect(await untilGone(first.pid, 20_000)).toBe(true);
      expect(await nodeStatus(dataFolder)).toMatchObject({ state: "stopped", users: [] });
    },
    startsTimeout,
  );

  test(
    "a kept node keeps running after the last process has left, until it is stopped",
    async () => {
      await using folder = await temporaryFolder();
      const joined = await joinNode({ ...quick, dataFolder: folder.path, keep: true });
      await joined.leave();

      const stays = !(await untilGone(joined.pid, 3000));
      const kept = await nodeStatus(folder.path);
      const stopped = await stopNode(folder.path);

      expect(stays).toBe(true);
      expect(kept).toMatchObject({ state: "running", kept: true, users: [] });
      expect([stopped, isAlive(joined.pid), await stopNode(folder.path)]).toEqual([
        true,
        false,
        false,
      ]);
    },
    startsTimeout,
  );

  test(
    "a second start on the same folder is refused while the first runs",
    async () => {
      await using folder = await temporaryFolder();
      await using node = await startNode({ ...quick, dataFolder: folder.path });

      await expect(startNode({ ...quick, dataFolder: folder.path })).rejects.toMatchObject({
        code: "NODE_RUNNING",
        message: expect.stringContaining(String(node.pid)),
      });
    },
    startsTimeout,
  );

  test("data of another version or an unknown engine is refused", async () => {
    await using folder = await temporaryFolder();
    const newer = join(folder.path, "newer");
    const foreign = join(folder.path, "foreign");
    const record = { format: 1, engine: "xtdb", version: "1.99.0", storage: "sqlite" };
    await Promise.all([mkdir(newer), mkdir(foreign)]);
    await writeFile(join(newer, "engine.json"), JSON.stringify(record));
    await writeFile(join(foreign, "golden.db"), "");

    await expect(startNode({ ...quick, dataFolder: newer })).rejects.toMatchObject({
      code: "ENGINE_CHANGED",
      message: expect.stringContaining("1.99.0"),
    });
    await expect(startNode({ ...quick, dataFolder: foreign })).rejects.toMatchObject({
      code: "DATA_FOREIGN",
    });
  });

  test(
    "the files of a node are accessible to its user only",
    async () => {
      await using folder = await temporaryFolder();
      const dataFolder = join(folder.path, "data");
      await using _node = await startNode({ ...quick, dataFolder });

      const mode = async (name: string): Promise<string> =>
        ((await stat(join(dataFolder, name))).mode & 0o777).toString(8);

      expect([await mode("."), await mode("xtdb.edn"), await mode("node.log")]).toEqual([
        "700",
        "600",
        "600",
      ]);
      expect(await readFile(join(dataFolder, "engine.json"), "utf8")).toBe(
        `{"format":1,"engine":"xtdb","version":"1.24.5","storage":"sqlite"}\n`,
      );
      expect(existsSync(join(dataFolder, "node.json"))).toBe(true);
    },
    startsTimeout,
  );
});

/** Starts a process that joins the node and runs until it is killed. */
async function child(
  dataFolder: string,
): Promise<{ readonly process: ChildProcess; readonly pid: number }> {
  const started = spawn(
    process.execPath,
    [
      "--conditions=@self-context-manager/source",
      fileURLToPath(new URL("joining-child.ts", import.meta.url)),
      dataFolder,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [line] = await once(started.stdout, "data");
  const { pid } = JSON.parse(String(line)) as { readonly pid: number };
  return { process: started, pid };
}
