// How much slower is the XTDB store than the bare HTTP requests that it makes, and than the SQLite store?
//
// The requests of a session's writes, and of later queries, are recorded while they go through the store. The bare side
// sends the recorded requests with `fetch`: the same documents to the same node, with the same durability, in a store
// with another name in the same database. Both sides take turns in blocks. `--objects N` adds N notes before the
// measurement, `--calls N` sets the length of the session, and `--plain` runs the node with XTDB's own log, like an
// official server.
import type { JsonValue, ObjectId, ObjectStore } from "@self-context-manager/core";
import { objectId, sealObject } from "@self-context-manager/objects";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { openXtdbStore, startNode } from "@self-context-manager/store-xtdb";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { databaseBytes } from "./database-bytes.ts";
import { median, report, rounded } from "./report.ts";
import { type Call, saidIn, sessionWrites } from "./store-session.ts";

const { values: given } = parseArgs({
  options: {
    objects: { type: "string", default: "1000" },
    calls: { type: "string", default: "200" },
    plain: { type: "boolean", default: false },
  },
});
const objects = Number(given.objects);
const calls = Number(given.calls);
const block = 20;
/** Objects in each commit of the load. */
const batch = 1_000;
const commitsOfCall = 3;
const asked = 100;
const session: readonly Call[] = [...sessionWrites(calls)].map(withView);

interface Sent {
  readonly url: string;
  readonly options: RequestInit;
}

/** The requests as they were sent; the store sends them through ky, which passes a `Request` to `fetch`. */
const recorded: Sent[] = [];
let isRecording = false;
const plainFetch = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  if (isRecording && input instanceof Request) {
    const copy = input.clone();
    const body = copy.method === "GET" ? undefined : await copy.text();
    const headers = Object.fromEntries(copy.headers);
    recorded.push({
      url: copy.url,
      options: { method: copy.method, headers, ...(body === undefined ? {} : { body }) },
    });
  }
  return await plainFetch(input, init);
};

const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
const data = join(folder, "node");
const node = await startNode({ dataFolder: data, plainTxLog: given.plain });
const place = { url: node.url, token: node.token, space: "one" };
const loaded: Record<string, number> = {};
const results: Record<string, unknown> = { loadedPerSecond: loaded };
try {
  await using store = await openXtdbStore(place);
  await using sqlite = await openSqliteStore({ path: join(folder, "store.sqlite") });
  for (const [name, each] of [
    ["xtdb", store],
    ["sqlite", sqlite],
  ] as const)
    loaded[name] = await fill(each);
  await compareCommits(store, sqlite);
  const ids = Array.from({ length: asked }, (_, index) =>
    objectId(`toolcall-${String((index * 7) % calls).padStart(8, "0")}`),
  );
  const notes = Array.from({ length: asked }, (_, index) => (index * 37) % objects);
  const fresh = () => openXtdbStore({ ...place, cacheCharacters: 0 });
  await compare("get", fresh, sqlite, ids, (each, id) => each.get(id));
  await compare("history", fresh, sqlite, ids, (each, id) => each.history(id));
  await compare("backlinks", fresh, sqlite, ids, (each, id) => each.referrers(id, { limit: 10 }));
  await compare("find", fresh, sqlite, notes, (each, number) =>
    each.find({ where: { type: "note", number } }),
  );
  await compare("list", fresh, sqlite, [...Array(20).keys()], (each) =>
    each.find({ where: { type: "note" }, newestFirst: true, limit: 50 }),
  );
  results["databaseBytes"] = databaseBytes(join(data, "golden.db"));
} finally {
  await node.stop();
}
// At a start, the index moves what its log holds to its tables.
await (await startNode({ dataFolder: data })).stop();
results["indexBytes"] = bytesOf(join(data, "index"));
rmSync(folder, { recursive: true });
const name = `xtdb-rates${objects === 1000 ? "" : `-${objects}`}${given.plain ? "-plain-log" : ""}`;
report(name, { objects, calls, log: given.plain ? "plain" : "waking", ...results });

/** Returns the bytes of the files in a folder. */
function bytesOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** Fills a store and returns the objects per second. */
async function fill(store: ObjectStore): Promise<number> {
  const before = performance.now();
  for (let start = 0; start < objects; start += batch) {
    const writes = Array.from({ length: Math.min(batch, objects - start) }, (_, index) => ({
      object: sealObject({
        id: objectId(`note-${start + index}`),
        type: "note",
        number: start + index,
        content: `note ${start + index} ${"words of a note ".repeat(20)}`,
        locked: false,
        provenance: { origin: "bench", generator: "system" as const },
      }),
      expect: 0,
    }));
    await store.commit(writes);
    const done = start + writes.length;
    if (done % 10_000 === 0) console.error(`${store.name}: ${done} objects`);
  }
  return rounded((objects * 1_000) / (performance.now() - before));
}

/**
 * The three commits of a call in a managed session: the chat; the tool call and the session; the view and the session.
 */
function withView([chat = [], done = []]: Call, number: number): Call {
  const session = done.find(({ object }) => object.body.type === "session");
  if (session === undefined) throw new Error("a call without a session");
  const { body } = session.object;
  const pool = body["pool"] as readonly JsonValue[];
  const common = { locked: false, provenance: { origin: "bench", generator: "system" as const } };
  const view = sealObject({
    ...common,
    id: objectId("view"),
    type: "view",
    content: null,
    call: number,
    entries: pool.slice(-40).map((to) => ({ to, as: "reference" })),
  });
  const shown = sealObject({ ...body, shown_call: number });
  return [chat, done, [{ object: view }, { object: shown }]];
}

/** The commits of a call run one after another, as in a session. */
async function compareCommits(store: ObjectStore, sqlite: ObjectStore): Promise<void> {
  const before = databaseBytes(join(data, "golden.db"));
  const times = { store: [] as number[], bare: [] as number[], sqlite: [] as number[] };
  let said = 0;
  for (let start = 0; start < calls; start += block) {
    const part = session.slice(start, start + block);
    said += part.reduce((sum, call) => sum + saidIn(call), 0);
    recorded.length = 0;
    isRecording = true;
    for (const call of part) times.store.push(await timed(() => commitAll(store, call)));
    isRecording = false;
    const sent = recorded.map(renamed);
    for (const requests of perCall(sent)) times.bare.push(await timed(() => sendAll(requests)));
    for (const call of part) times.sqlite.push(await timed(() => commitAll(sqlite, call)));
  }
  const grown = databaseBytes(join(data, "golden.db")) - before;
  results["commitsPerSecond"] = {
    store: rounded((commitsOfCall * 1_000) / median(times.store)),
    bare: rounded((commitsOfCall * 1_000) / median(times.bare)),
    sqlite: rounded((commitsOfCall * 1_000) / median(times.sqlite)),
  };
  results["modelCall"] = {
    unit: "milliseconds for the three commits of a call, median",
    store: rounded(median(times.store)),
    bare: rounded(median(times.bare)),
    sqlite: rounded(median(times.sqlite)),
    ratio: rounded(median(times.store) / median(times.bare)),
    aim: { ratio: 1.3, store: 40 },
  };
  results["growth"] = {
    // Two copies: one of the store, one of the bare side.
    bytesOverTranscript: rounded(grown / 2 / said),
    aim: 2,
  };
}

async function commitAll(store: ObjectStore, call: Call): Promise<void> {
  for (const writes of call) await store.commit(writes);
}

/**
 * The same request for the store with the other name. There a transaction has another id, so the last one is awaited.
 */
function renamed({ url, options }: Sent): Sent {
  const { body } = options;
  if (typeof body !== "string") return { url, options };
  return { url, options: { ...options, body: body.replaceAll(/"one(?=\/|\.to\/)/gu, '"two') } };
}

/** Groups the requests by call; the first submit of a call begins its group. */
function perCall(sent: readonly Sent[]): readonly (readonly Sent[])[] {
  const groups: Sent[][] = [];
  let submits = 0;
  for (const one of sent) {
    if (one.url.endsWith("/submit-tx")) {
      if (submits % commitsOfCall === 0) groups.push([]);
      submits += 1;
    }
    groups.at(-1)?.push(one);
  }
  return groups;
}

async function sendAll(sent: readonly Sent[]): Promise<void> {
  let txId = "";
  for (const { url, options } of sent) {
    const target = new URL(url);
    if (target.searchParams.has("txId") && txId !== "") {
      target.searchParams.set("txId", txId);
      target.searchParams.set("awaitTxId", txId);
    }
    const answer = await plainFetch(target, options);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`the node answered ${answer.status}: ${text.slice(0, 200)}`);
    if (url.endsWith("/submit-tx")) txId = /"~:xtdb\.api\/tx-id",(\d+)/u.exec(text)?.[1] ?? "";
    else if (url.includes("/tx-committed") && !text.includes("true"))
      throw new Error("a bare transaction did not hold");
  }
}

/** Times queries: through a store that has nothing in memory, with bare requests to the node, and in SQLite. */
async function compare<Item extends ObjectId | number>(
  question: string,
  open: () => Promise<ObjectStore>,
  sqlite: ObjectStore,
  items: readonly Item[],
  ask: (store: ObjectStore, item: Item) => Promise<unknown>,
): Promise<void> {
  const times = { store: [] as number[], bare: [] as number[], sqlite: [] as number[] };
  await using store = await open();
  // The first queries after a start wait until the node has compiled its code.
  for (const item of items) await ask(store, item);
  for (const item of items) {
    recorded.length = 0;
    isRecording = true;
    await ask(store, item);
    isRecording = false;
    times.store.push(await timed(() => ask(store, item)));
    const sent = [...recorded];
    times.bare.push(await timed(() => sendAll(sent)));
    times.sqlite.push(await timed(() => ask(sqlite, item)));
  }
  results[question] = {
    unit: "milliseconds, median",
    store: rounded(median(times.store)),
    bare: rounded(median(times.bare)),
    sqlite: rounded(median(times.sqlite)),
    ratio: rounded(median(times.store) / median(times.bare)),
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
