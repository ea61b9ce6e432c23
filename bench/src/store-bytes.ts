// How many bytes does the SQLite store need for recorded sessions, compared with their transcripts, and for what?
//
// `store-bytes SESSION...` runs each session in full into a store of its own, in the default layout, and adds up the
// closed files. `store-bytes --checkout OLD SESSION...` does the same with the modules of another checkout, and stores no
// result.
import { openStoreFile } from "@self-context-manager/store-sqlite";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { report, rounded } from "./report.ts";

interface Read {
  readonly readSession: (file: string) => Promise<{ readonly rows: readonly unknown[] }>;
}

interface Run {
  readonly storeSession: (
    session: unknown,
    path: string,
  ) => Promise<{ readonly times: readonly number[] } | undefined>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { checkout: { type: "string" } },
});
const checkout = values.checkout ?? fileURLToPath(new URL("../..", import.meta.url));
const replay = pathToFileURL(join(checkout, "packages/replay/src/")).href;
const { readSession } = (await import(`${replay}read/read-session.ts`)) as Read;
const { storeSession } = (await import(`${replay}strategies/replay-session.ts`)) as Run;

const folder = await mkdtemp(join(tmpdir(), "scm-bench-"));
const sum = { sessions: 0, calls: 0, transcriptBytes: 0, storeBytes: 0 };
const uses: Record<string, number> = {};
for (const [index, file] of positionals.entries()) {
  const session = await readSession(file);
  const path = join(folder, `${index}.sqlite`);
  const stored = await storeSession(session, path);
  if (stored === undefined) continue;
  sum.sessions += 1;
  sum.calls += stored.times.length;
  for (const row of session.rows) sum.transcriptBytes += Buffer.byteLength(JSON.stringify(row)) + 1;
  sum.storeBytes += (await stat(path)).size;
  if (values.checkout === undefined) await addPages(path);
  await rm(path);
}
await rm(folder, { recursive: true });
const ratio = rounded(sum.storeBytes / sum.transcriptBytes);
const shares = Object.fromEntries(
  Object.entries(uses).map(([use, bytes]) => [use, rounded(bytes / sum.storeBytes)]),
);
if (values.checkout === undefined) report("store-bytes", { ...sum, ratio, aim: 1.2, shares });
else console.log(JSON.stringify({ ...sum, ratio }));

/** Adds the bytes of the pages of a file by their use. */
async function addPages(path: string): Promise<void> {
  using file = await openStoreFile(path);
  for (const [use, bytes] of Object.entries(file.sizes().pages))
    uses[use] = (uses[use] ?? 0) + bytes;
}
