import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

import { missingForXtdb } from "../src/stores/xtdb-node.ts";

const main = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));

test.skipIf(missingForXtdb() !== undefined)(
  "scm indexes a folder of notes in XTDB, finds words and tags, and follows links",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "scm-"));
    const notes = join(folder, "notes");
    const at = ["--store", "xtdb", "--at", join(folder, "data")];
    const scm = async (...argv: readonly string[]): Promise<string> => {
      const start = ["--conditions=@self-context-manager/source", main, ...argv, ...at];
      const { stdout } = await promisify(execFile)(process.execPath, start, {
        cwd: notes,
        env: { ...process.env, XDG_DATA_HOME: folder },
      });
      return stdout;
    };
    await mkdir(notes);
    await writeFile(join(notes, "plan.md"), "# Plan\n\n- part_of [[garden]] #spring\n");
    await writeFile(join(notes, "garden.md"), "Tomatoes.\n");
    try {
      await scm("xtdb", "start");

      expect(await scm("index")).toMatch(/: 2 new, 0 changed\n$/u);
      const before = new Date().toISOString();
      await writeFile(join(notes, "garden.md"), "Tomatoes and beans.\n");
      expect(await scm("index")).toMatch(/: 0 new, 1 changed\n$/u);
      expect(await scm("find", "beans")).toContain("garden.md:1  Tomatoes and beans.");
      expect(await scm("find", "--tag", "spring")).toContain(
        "plan.md:3  - part_of [[garden]] #spring",
      );
      const length = "{:find [n] :in [path] :where [[o :path path] [o :char_count n]]}";
      const ask = ["xtdb", "query", length, join(notes, "garden.md")];
      expect(await scm(...ask)).toBe("[20]\n");
      expect(await scm(...ask, "--as-of", before)).toBe("[10]\n");
      expect(await scm("links", "garden")).toMatch(/plan\.md:3 +part_of +\[\[garden\]\]/u);
      expect(await scm("graph", "plan.md")).toBe("plan.md\n  → part_of  garden.md\n");
      expect(await scm("check")).toBe("2 notes, 1 link: 0 broken, 0 ambiguous, 0 unread\n");
    } finally {
      await scm("xtdb", "stop");
      await rm(folder, { recursive: true, force: true });
    }
  },
);
