// Prints the CPU time of the model calls of recorded sessions, as JSON: `cpu-of-calls CHECKOUT SESSION...`. The modules
// are those of the checkout.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , checkout = "", ...sessions] = process.argv;
const replay = pathToFileURL(join(checkout, "packages/replay/src/")).href;

interface Read {
  readonly readSession: (file: string) => Promise<unknown>;
}

interface Run {
  readonly storeSession: (
    session: unknown,
    path: string,
  ) => Promise<{ readonly times: readonly number[] } | undefined>;
}

const { readSession } = (await import(`${replay}read/read-session.ts`)) as Read;
const { storeSession } = (await import(`${replay}strategies/replay-session.ts`)) as Run;

const folder = await mkdtemp(join(tmpdir(), "scm-bench-"));
let milliseconds = 0;
let calls = 0;
for (const [index, file] of sessions.entries()) {
  const session = await readSession(file);
  const before = process.cpuUsage();
  const stored = await storeSession(session, join(folder, `${index}.sqlite`));
  const { user, system } = process.cpuUsage(before);
  milliseconds += (user + system) / 1_000;
  calls += stored?.times.length ?? 0;
}
await rm(folder, { recursive: true });
process.stdout.write(JSON.stringify({ milliseconds, calls }));
