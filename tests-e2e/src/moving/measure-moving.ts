// Moves a store of 10,000 objects and 50,000 versions from SQLite into XTDB and on into SQLite, by the command, with each
// import killed in the middle and run again, and writes down how long each part took. Takes minutes; run by hand:
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e measure-moving
import { startNode } from "@self-context-manager/store-xtdb";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { keepMeasured, rounded } from "../measured.ts";
import { type Moved, moveStores } from "./move-stores.ts";
import type { ScmRun } from "./scm-process.ts";

const { values } = parseArgs({ options: { sessions: { type: "string", default: "100" } } });
const folder = await mkdtemp(join(tmpdir(), "scm-moving-"));
try {
  await using node = await startNode({ dataFolder: join(folder, "node") });
  const moved = await moveStores({ folder, sessions: Number(values.sessions), node });
  checkSame(moved);
  keepMeasured("moving-by-command", {
    objects: moved.objects,
    versions: moved.versions,
    sha256OfEveryExport: moved.fromMemory,
    exportMegabytes: rounded((moved.exports[0]?.bytes ?? 0) / 1e6),
    storeMegabytes: {
      sqlite: await megabytes(join(folder, "first.sqlite")),
      sqliteAfterImport: await megabytes(join(folder, "last.sqlite")),
      xtdbLogAndDocuments: await megabytes(join(folder, "node", "golden.db")),
    },
    exports: moved.exports.map((one) => ({ from: one.from, ...taken(one) })),
    imports: moved.imports.map((one) => ({
      into: one.into,
      versionsThereWhenKilled: one.afterKill,
      versionsAddedWhenRunAgain: one.added,
      runAgain: taken(one.resumed),
      runOnceMoreAndVerified: taken(one.verified),
    })),
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}

function checkSame({ exports, imports, fromMemory, versions }: Moved): void {
  const other = exports.find(({ sha256 }) => sha256 !== fromMemory);
  if (other !== undefined) throw new Error(`the export from ${other.from} has other bytes`);
  for (const { into, verified } of imports) {
    if (!verified.stdout.includes(`verified ${versions} versions`))
      throw new Error(`the import into ${into} was not verified whole`);
  }
}

function taken(run: Pick<ScmRun, "seconds" | "megabytes">): Pick<ScmRun, "seconds" | "megabytes"> {
  return { seconds: rounded(run.seconds), megabytes: rounded(run.megabytes) };
}

async function megabytes(path: string): Promise<number> {
  return rounded((await stat(path)).size / 1e6);
}
