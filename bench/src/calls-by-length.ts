// Prints the CPU time of model calls of a session with many messages, as a line of JSON for each length:
// `calls-by-length CHECKOUT STORE MESSAGES...`. The modules are those of the checkout. `first` is the first ingest,
// `firstView` its view, and the rest are means of one call: `list` is `readList`, the pass over the host's list.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { ContextManager, ContextManagerOptions } from "@self-context-manager/compose";
import type { Message, ReadList } from "@self-context-manager/core";
import { syntheticTranscript } from "./synthetic-transcript.ts";

const [, , checkout = "", store = "memory", ...lengths] = process.argv;
const measuredCalls = Number(process.env["CALLS"] ?? 40);
const warmCalls = 20;

interface Modules {
  readonly openContextManager: (options: ContextManagerOptions) => Promise<ContextManager>;
  readonly neutralCodec: unknown;
  readonly readList: (messages: readonly Message[], codec: unknown) => ReadList;
}

async function load(name: string): Promise<Partial<Modules>> {
  const file = join(checkout, "packages", name, "src/index.ts");
  return (await import(pathToFileURL(file).href)) as Partial<Modules>;
}

const { openContextManager, neutralCodec, readList } = {
  ...(await load("compose")),
  ...(await load("core")),
} as Modules;

function spent(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

for (const length of lengths.map(Number)) {
  const folder = await mkdtemp(join(tmpdir(), "scm-bench-"));
  const transcript = syntheticTranscript(Number(process.env["CHARACTERS"] ?? 300));
  while (transcript.messages.length < length) transcript.addCall();
  {
    await using manager = await openContextManager({
      store: store as "memory" | "sqlite",
      at: join(folder, "store.sqlite"),
      workspace: folder,
    });
    const session = await manager.openSession({ harness: "bench", sessionId: "bench" });
    const begin = process.cpuUsage();
    await session.ingest(readList(transcript.messages, neutralCodec));
    const first = spent(begin);
    const beginView = process.cpuUsage();
    await session.nextView();
    const firstView = spent(beginView);
    const times = { list: 0, session: 0 };
    for (let call = 0; call < warmCalls + measuredCalls; call += 1) {
      if (call === warmCalls) Object.assign(times, { list: 0, session: 0 });
      transcript.addCall();
      const start = process.cpuUsage();
      const list = readList(transcript.messages, neutralCodec);
      times.list += spent(start);
      const middle = process.cpuUsage();
      await session.ingestAndView(list);
      times.session += spent(middle);
    }
    const { list, session: own } = times;
    const each = (sum: number): number => Number((sum / measuredCalls).toPrecision(4));
    console.log(
      JSON.stringify({
        store,
        messages: length,
        first: Math.round(first),
        firstView: Math.round(firstView),
        list: each(list),
        session: each(own),
        call: each(list + own),
      }),
    );
  }
  await rm(folder, { recursive: true });
}
