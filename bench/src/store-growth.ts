// What does one more call cost the SQLite store as the session grows, in time and in bytes?
//
// The bytes are those of the closed file, divided by those of the content, counted once: prose, commands and results as
// JSON. After reopening, the first read of the chat is timed, which rebuilds the chat from its deltas.
import { objectId } from "@self-context-manager/objects";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { median, report, rounded } from "./report.ts";
import { saidIn, sessionWrites } from "./store-session.ts";

const lengths = [100, 500, 1000, 10_000];
const sample = 50;

const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
const path = join(folder, "store.sqlite");
const results: Readonly<Record<string, unknown>>[] = [];
let said = 0;
let store = await openSqliteStore({ path });
let times: number[] = [];
let call = 0;
for (const writes of sessionWrites(lengths.at(-1) ?? 0)) {
  const before = performance.now();
  for (const commit of writes) await store.commit(commit);
  times.push(performance.now() - before);
  said += saidIn(writes);
  call += 1;
  if (!lengths.includes(call)) continue;

  await store[Symbol.asyncDispose]();
  const bytes = statSync(path).size;
  store = await openSqliteStore({ path });
  const opened = performance.now();
  await store.get(objectId("chat"));
  const firstRead = performance.now() - opened;
  await store.get(objectId("session"));
  results.push({
    calls: call,
    millisecondsPerCall: rounded(median(times.slice(-sample))),
    firstReadOfChatMilliseconds: rounded(firstRead),
    storeBytes: bytes,
    bytesOverTranscript: rounded(bytes / said),
  });
  times = [];
}
await store[Symbol.asyncDispose]();
rmSync(folder, { recursive: true });
report("store-growth", { commitsPerCall: 2, versionsPerCall: 3, lengths: results });
