// What does one model call cost as a session grows, for ingesting its messages and making the view, in the epoch
// layout? How many bytes does the store need for a session of 500 calls, compared with its transcript as JSON Lines?
//
// The times do not include the host's copy of its array. Each call adds an assistant message and one tool result.
import { openContextManager, type StoreKind } from "@self-context-manager/compose";
import { neutralCodec, readList } from "@self-context-manager/core";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { median, report, rounded } from "./report.ts";
import { syntheticTranscript } from "./synthetic-transcript.ts";

const measuredCalls = 60;
const lengths = [100, 1_000, 10_000];
const rounds = 3;

interface CallTimes {
  readonly ingest: number;
  readonly view: number;
  readonly total: number;
}

async function callTimes(store: StoreKind, count: number): Promise<CallTimes> {
  const folder = await mkdtemp(join(tmpdir(), "scm-bench-"));
  const at = join(folder, "store.sqlite");
  const times: CallTimes[] = [];
  {
    await using manager = await openContextManager({ store, at, workspace: folder });
    const session = await manager.openSession({ harness: "bench", sessionId: "bench" });
    const transcript = syntheticTranscript();
    while (transcript.messages.length < count) transcript.addCall();
    await session.ingest(readList(transcript.messages, neutralCodec));
    await session.nextView();
    for (let call = 0; call < measuredCalls; call += 1) {
      transcript.addCall();
      const start = performance.now();
      await session.ingest(readList(transcript.messages, neutralCodec));
      const middle = performance.now();
      await session.nextView();
      const end = performance.now();
      times.push({ ingest: middle - start, view: end - middle, total: end - start });
    }
  }
  await rm(folder, { recursive: true });
  return {
    ingest: median(times.map(({ ingest }) => ingest)),
    view: median(times.map(({ view }) => view)),
    total: median(times.map(({ total }) => total)),
  };
}

async function storeRatio(calls: number): Promise<Readonly<Record<string, number>>> {
  const folder = await mkdtemp(join(tmpdir(), "scm-bench-"));
  const at = join(folder, "store.sqlite");
  const transcript = syntheticTranscript();
  {
    await using manager = await openContextManager({ store: "sqlite", at, workspace: folder });
    const session = await manager.openSession({ harness: "bench", sessionId: "bench" });
    for (let call = 0; call < calls; call += 1) {
      transcript.addCall();
      await session.ingestAndView(readList(transcript.messages, neutralCodec));
    }
  }
  const { size } = await stat(at);
  const lines = transcript.messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  const transcriptBytes = Buffer.byteLength(lines);
  await rm(folder, { recursive: true });
  return { calls, storeBytes: size, transcriptBytes, ratio: rounded(size / transcriptBytes) };
}

const results: Record<string, Record<string, CallTimes>> = {};
for (const store of ["memory", "sqlite"] as const) {
  const byLength: Record<string, CallTimes> = {};
  for (const count of lengths) {
    const runs: CallTimes[] = [];
    for (let round = 0; round < rounds; round += 1) runs.push(await callTimes(store, count));
    byLength[count] = {
      ingest: rounded(median(runs.map(({ ingest }) => ingest))),
      view: rounded(median(runs.map(({ view }) => view))),
      total: rounded(median(runs.map(({ total }) => total))),
    };
  }
  results[store] = byLength;
}
const late = results["sqlite"]?.["10000"]?.total ?? Number.NaN;
const early = results["sqlite"]?.["1000"]?.total ?? Number.NaN;
report("session-calls", {
  unit: "milliseconds per call, median",
  byMessages: results,
  sqliteAt10000Over1000: { ratio: rounded(late / early), aim: 2 },
  storeOverTranscript: { ...(await storeRatio(500)), aim: 2 },
});
