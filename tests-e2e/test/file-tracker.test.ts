import { memoryStore } from "@self-context-manager/store-memory";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { fileTrackerContract } from "@self-context-manager/testkit";
import { diskFiles, watchFiles } from "@self-context-manager/watcher";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const clock = { now: () => Date.now() };
const common = { openWatcher: watchFiles, openFiles: diskFiles };

fileTrackerContract({
  ...common,
  name: "watched files and memory",
  rounds: 10,
  openStore: () => memoryStore({ clock }),
});

const folder = mkdtempSync(join(tmpdir(), "scm-tracker-"));
afterAll(() => rmSync(folder, { recursive: true }));
let opened = 0;

fileTrackerContract({
  ...common,
  name: "watched files and SQLite",
  openStore: async () => {
    opened += 1;
    return await openSqliteStore({ path: join(folder, `${opened}.sqlite`), clock });
  },
});
