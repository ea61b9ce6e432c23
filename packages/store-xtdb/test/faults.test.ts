// If the machine has no Java, the tests are skipped with a warning.
/* oxlint-disable vitest/no-disabled-tests */
import {
  objectId,
  type ObjectStore,
  StoreError,
  type StoredVersion,
} from "@self-context-manager/objects";
import { sample, seededRandom, testScale } from "@self-context-manager/store-contract";
import { describe, expect, it } from "vitest";

import { openXtdbStore, type XtdbStore, type XtdbStoreOptions } from "../src/index.ts";
import { failure } from "./failure.ts";
import { type Fate, faultyProxy } from "./faulty-proxy.ts";
import { testNode } from "./test-node.ts";

const node = await testNode();
const { url, token } = "url" in node ? node : { url: "", token: "" };
const a = objectId("a");
let spaces = 0;

describe.skipIf("missing" in node)(
  `faults between store and node${"missing" in node ? `: ${node.missing}` : ""}`,
  { timeout: 60_000 },
  () => {
    it.each<[string, Fate]>([
      ["whose answer is lost", "unanswered"],
      ["that never arrives", "lost"],
      ["that arrives after its connection broke", { late: 300 }],
      [
        "that fails in the node",
        { status: 500, type: transit, body: '["^ ","~:type","exception"]' },
      ],
    ])("stores one version for a submit %s", async (_, fate) => {
      await using proxy = await faultyProxy(url);
      await using store = await open({ url: proxy.url });
      await store.commit([{ object: sample("a", { count: 1 }) }]);
      let isFirst = true;
      proxy.decide((path) => {
        const isSpoilt = path === "submit-tx" && isFirst;
        if (isSpoilt) isFirst = false;
        return isSpoilt ? fate : "pass";
      });

      const { versions, replayed } = await store.commit([
        { object: sample("a", { count: 2 }), expect: 1 },
      ]);
      await proxy.settled();
      await store.commit([{ object: sample("b") }]);

      expect(isFirst).toBe(false);
      expect({ versions, replayed }).toMatchObject({
        versions: [{ id: "a", version: 2, changed: true }],
        replayed: false,
      });
      expect((await store.history(a)).map(({ body }) => body["count"])).toEqual([1, 2]);
      expect((await store.changesSince()).versions).toHaveLength(3);
    });

    it("stores each version exactly once when connections break at random", async () => {
      const random = seededRandom(testScale.seed);
      const fates: readonly Fate[] = ["lost", "unanswered", { late: 40 }];
      await using proxy = await faultyProxy(url);
      const space = freshSpace();
      await using one = await open({ url: proxy.url, space });
      await using other = await open({ url: proxy.url, space });
      proxy.decide(() => (random() < 0.2 ? (fates[Math.floor(random() * 3)] ?? "pass") : "pass"));
      const rounds = testScale.isLong ? 400 : 12;

      await Promise.all([countUp(one, "one", rounds), countUp(other, "other", rounds)]);
      proxy.decide(() => "pass");
      await proxy.settled();
      const history = await one.history(objectId("counter"));

      expect(history).toHaveLength(rounds * 2);
      expect(history.map(({ body }) => body["count"])).toEqual(history.map((__, at) => at + 1));
      expect((await one.find({ idPrefix: "one", limit: 1000 })).items).toHaveLength(rounds);
      expect((await other.changesSince()).versions).toHaveLength(rounds * 4);
    });

    it("restores each version exactly once when connections break at random and others commit", async () => {
      const random = seededRandom(testScale.seed);
      const fates: readonly Fate[] = ["lost", "unanswered", { late: 40 }];
      await using proxy = await faultyProxy(url);
      const space = freshSpace();
      await using importer = await open({ url: proxy.url, space, timeout: 60_000 });
      await using other = await open({ space });
      const rounds = testScale.isLong ? 200 : 12;
      const versions = Array.from({ length: rounds * 3 }, (_, index): StoredVersion => {
        const version = Math.floor(index / 3) + 1;
        const { body, hashes } = sample(`restored-${index % 3}`, { version });
        return {
          body,
          hashes,
          version,
          at: { tx_id: version, tx_time: "2020-01-01T00:00:00.000Z" },
        };
      });
      proxy.decide(() => (random() < 0.1 ? (fates[Math.floor(random() * 3)] ?? "pass") : "pass"));

      await Promise.all([importer.restore(versions), countUp(other, "other", 10)]);
      proxy.decide(() => "pass");
      await proxy.settled();

      for (const id of [0, 1, 2].map((number) => objectId(`restored-${number}`))) {
        const history = await other.history(id);
        expect(
          history.map(({ body, version, at }) => [body["version"], version, at.tx_id]),
        ).toEqual(Array.from({ length: rounds }, (_, index) => [index + 1, index + 1, index + 1]));
        expect((await other.get(id, { txId: 7 }))?.version).toBe(7);
      }
      expect((await other.changesSince()).versions).toHaveLength(rounds * 3 + 20);
      expect(await importer.restore(versions)).toEqual({ added: 0 });
    });

    it("fails fast while the node cannot be reached, and commits when it is back", async () => {
      await using proxy = await faultyProxy(url);
      await using store = await open({ url: proxy.url, timeout: 1_500 });
      await store.commit([{ object: sample("a") }]);
      proxy.decide(() => "lost");

      const first = await failure(store.commit([{ object: sample("a", { count: 2 }) }]));
      const later = [];
      const times: number[] = [];
      for (let count = 0; count < 3; count += 1) {
        const start = performance.now();
        later.push(await failure(store.get(a)));
        times.push(performance.now() - start);
      }
      proxy.decide(() => "pass");
      await store.commit([{ object: sample("a", { count: 3 }), expect: 1 }]);

      for (const { code } of [first, ...later]) expect(code).toBe("STORE_UNAVAILABLE");
      expect(later[0]?.message).toContain(proxy.url);
      // A busy machine may delay one of them, and not all.
      expect(Math.min(...times)).toBeLessThan(1_000);
      expect((await store.get(a))?.body["count"]).toBe(3);
    });

    it("reports a failed ingester and advises a restart of the node", async () => {
      await using proxy = await faultyProxy(url);
      await using store = await open({ url: proxy.url, timeout: 200 });
      await store.commit([{ object: sample("a") }]);
      proxy.decide((path) =>
        path === "status"
          ? { status: 200, type: transit, body: '["^ ","~:ingester-failed?",true]' }
          : { status: 500, type: transit, body: '["^ ","~:class","java.lang.Exception"]' },
      );

      const error = await failure(store.get(a));

      expect(error.code).toBe("STORE_UNAVAILABLE");
      expect(error.message).toMatch(/ingester failed.*Restart it/u);
    });

    it.each<[number, string, string]>([
      [401, "STORE_UNREADABLE", "token"],
      [403, "STORE_READ_ONLY", "read-only"],
      [413, "STORE_FULL", "larger"],
    ])("reports a refusal with status %d as %s", async (status, code, word) => {
      await using proxy = await faultyProxy(url);
      await using store = await open({ url: proxy.url });
      proxy.decide((path) =>
        path === "submit-tx"
          ? { status, type: transit, body: '["^ ","~:error","refused by the node"]' }
          : "pass",
      );

      const error = await failure(store.commit([{ object: sample("a") }]));

      expect(error.code).toBe(code);
      expect(error.message).toContain(word);
      expect(error.message).toContain(proxy.url);
    });

    it.each([
      ["one request", undefined, ["submit-tx"]],
      // XTDB's own server ignores the header.
      ["two requests if the node does not wait", "prefer", ["submit-tx", "tx-committed"]],
    ])("commits without a query before it, with %s", async (_, withoutHeader, requests) => {
      await using proxy = await faultyProxy(
        url,
        withoutHeader === undefined ? {} : { withoutHeader },
      );
      await using store = await open({ url: proxy.url });
      await store.commit([{ object: sample("chat", { turns: [] }), expect: 0 }]);
      const before = proxy.seen.length;

      await store.commit([
        { object: sample("chat", { turns: ["one"] }), expect: 1 },
        { object: sample("call", { to: { ref: "dynamic", id: "chat" } }), expect: 0 },
      ]);

      expect(proxy.seen.slice(before)).toEqual(requests);
      await store.get(objectId("chat"));
      expect(proxy.seen.slice(before + requests.length)).toEqual(["query"]);
    });

    it("frees a nickname that one client gave and another took away", async () => {
      const space = freshSpace();
      await using one = await open({ space });
      await using other = await open({ space });
      await one.commit([{ object: sample("a", { nickname: "y" }) }]);
      await other.commit([{ object: sample("a", { size: 1 }) }]);

      await one.commit([{ object: sample("b", { nickname: "y" }), expect: 0 }]);

      expect((await other.lookup("y"))?.body.id).toBe("b");
    });

    it("restores transactions without waiting for each, because XTDB would keep a listener for each", async () => {
      await using proxy = await faultyProxy(url);
      await using store = await open({ url: proxy.url });
      const versions = [1, 2, 3].map((version) => ({
        ...sample("a", { version }),
        version,
        at: { tx_id: version, tx_time: "2026-01-01T00:00:00.000Z" },
      }));

      await store.restore(versions);

      expect(proxy.seen.filter((path) => path === "submit-tx")).toHaveLength(3);
      expect(proxy.preferences).toEqual([]);
      await store.commit([{ object: sample("a", { version: 4 }) }]);
      expect(proxy.preferences).toHaveLength(1);
    });

    it("leaves a nickname to the object that has it after a merge of two histories", async () => {
      const at = (txId: number) => ({ tx_id: txId, tx_time: "2026-01-01T00:00:00.000Z" });
      const version = (id: string, nickname: string | undefined, number: number) => ({
        ...sample(id, nickname === undefined ? {} : { nickname }),
        version: number,
        at: at(number),
      });
      await using store = await open();
      await store.restore([version("a", "d", 1), version("r", "d", 1), version("r", undefined, 2)]);

      expect((await store.lookup("d"))?.body.id).toBe("a");
      const taken = store.commit([{ object: sample("c", { nickname: "d" }), expect: 0 }]);
      await expect(taken).rejects.toMatchObject({ code: "NICKNAME_TAKEN" });
    });

    it("reads several versions of an object at once with one request for its history", async () => {
      const space = freshSpace();
      await using proxy = await faultyProxy(url);
      await using writer = await open({ space });
      for (const count of [1, 2, 3, 4]) await writer.commit([{ object: sample("a", { count }) }]);
      await using reader = await open({ url: proxy.url, space });
      const before = proxy.seen.length;

      const versions = await Promise.all(
        [1, 2, 3, 9].map(async (version) => await reader.get(a, { version })),
      );

      expect(versions.map((stored) => stored?.body["count"])).toEqual([1, 2, 3, undefined]);
      expect(proxy.seen.slice(before).toSorted()).toEqual([
        // The second one is for the latest version, because the object has no version 9.
        "entity",
        "entity",
        "entity-tx",
        "entity-tx",
        "entity-tx",
        "query",
        "query",
      ]);
    });

    it("reads earlier versions of several objects as of one transaction", async () => {
      const space = freshSpace();
      await using proxy = await faultyProxy(url);
      await using writer = await open({ space });
      const ids = ["a", "b", "c", "d"];
      for (const count of [1, 2])
        for (const id of ids) await writer.commit([{ object: sample(id, { count }) }]);
      await using reader = await open({ url: proxy.url, space });
      const before = proxy.seen.length;

      const versions = await Promise.all(
        ids.map(async (id) => await reader.get(objectId(id), { version: 1 })),
      );

      expect(versions.map((stored) => stored?.body["count"])).toEqual([1, 1, 1, 1]);
      expect(proxy.seen.slice(before)).toEqual(["query", "entity-tx", "query"]);
    });

    it.each([
      [
        "prepares a commit again after another client committed first",
        false,
        ["submit-tx", "query", "query", "submit-tx"],
      ],
      ["commits with one request after a read of another client's version", true, ["submit-tx"]],
    ])("%s", async (_, reads, requests) => {
      const space = freshSpace();
      await using proxy = await faultyProxy(url);
      await using one = await open({ url: proxy.url, space });
      await using other = await open({ space });
      await one.commit([{ object: sample("a", { count: 1 }) }]);
      await other.commit([{ object: sample("a", { count: 2 }) }]);
      const read = reads ? await one.get(a) : undefined;
      const before = proxy.seen.length;

      await one.commit([{ object: sample("a", { count: 3 }) }]);

      expect(read?.version).toBe(reads ? 2 : undefined);
      expect(proxy.seen.slice(before)).toEqual(requests);
      expect((await other.history(a)).map(({ body }) => body["count"])).toEqual([1, 2, 3]);
    });

    it("refuses another schema and a clock of another program, and ignores other documents", async () => {
      const [newer, older] = [freshSpace(), freshSpace()];
      const [foreign, shared] = [freshSpace(), freshSpace()];
      await put({ "xt/id": `${newer}/clock`, [`${newer}/schema`]: 6 });
      await put({ "xt/id": `${older}/clock`, [`${older}/schema`]: 4 });
      await put({ "xt/id": `${foreign}/clock`, wages: 7 });
      await put({ "xt/id": "someone's", arrival: 1, [`${shared}-2/arrival`]: 1 });

      const tooNew = await failure(open({ space: newer }));
      const tooOld = await failure(open({ space: older }));
      const notOurs = await failure(open({ space: foreign }));
      await using store = await open({ space: shared });
      const before = await store.changesSince();
      await store.commit([{ object: sample("a") }]);

      expect(tooNew.code).toBe("STORE_TOO_NEW");
      expect(tooOld.code).toBe("STORE_TOO_OLD");
      expect(notOurs.code).toBe("STORE_FOREIGN");
      expect(before.versions).toEqual([]);
      expect((await store.changesSince()).versions).toHaveLength(1);
      expect(await rows(store, '{:find [(pull d [*])] :where [[d :xt/id "someone\'s"]]}')).toEqual([
        { "xt/id": "someone's", arrival: 1, [`${shared}-2/arrival`]: 1 },
      ]);
    });

    it("answers as of a time, also where the clock was set back", async () => {
      const space = freshSpace();
      const day = 24 * 60 * 60 * 1000;
      const start = Date.UTC(2026, 0, 1);
      let now = start;
      await using store = await open({ space, clock: { now: () => now } });
      for (const next of [start, start + 9 * day, start + day, start + 2 * day]) {
        now = next;
        await store.commit([{ object: sample("a", { next }) }]);
      }
      const query = `{:find [v] :where [[o :${space}/version v] [o :type "note"]]}`;
      const versions = async (time: number): Promise<unknown> =>
        await store.query(query, [], { asOf: { txTime: new Date(time).toISOString() } });

      expect(await versions(start - 1)).toEqual([]);
      expect(await versions(start)).toEqual([[1]]);
      expect(await versions(start + day)).toEqual([[3]]);
      expect(await versions(start + 9 * day)).toEqual([[4]]);
      expect(await versions(-1)).toEqual([]);
      expect(await versions(8.64e15)).toEqual([[4]]);
    });

    it("reports a missing text as damage and still reads the metadata", async () => {
      const space = freshSpace();
      const content = "long ".repeat(1000);
      await using store = await open({ space });
      await store.commit([{ object: sample("a", { content }) }]);
      const [chunk] = await rows(store, `{:find [c] :where [[c :${space}/packed]]}`);
      await submit([["delete", String(chunk)]]);
      await using reader = await open({ space });

      const error = await failure(reader.get(a));

      expect(error.code).toBe("STORE_CORRUPT");
      expect(error.message).toContain("missing");
      expect((await reader.describe([a]))[0]?.version).toBe(1);
    });

    it("lists the versions beside a damaged one if damaged ones are to be left out", async () => {
      const space = freshSpace();
      await using store = await open({ space });
      for (let size = 1; size <= 4; size += 1)
        await store.commit([{ object: sample("a", { size }) }, { object: sample("b", { size }) }]);
      const [document] = await rows(
        store,
        `{:find [(pull v [*])] :where [[v :${space}/arrival 4]]}`,
      );
      await submit([["put", { ...(document as object), [`${space}/chain`]: "none" }]]);
      await using reader = await open({ space });

      const error = await failure(reader.changesSince());
      const { versions, skipped, position } = await reader.changesSince(undefined, {
        skipDamaged: true,
      });

      expect(error.code).toBe("STORE_CORRUPT");
      expect(versions.map(({ body, version }) => `${body.id} ${version}`)).toEqual([
        "a 1",
        "b 1",
        "a 2",
        "a 3",
        "b 3",
        "a 4",
        "b 4",
      ]);
      expect({ skipped, position }).toEqual({ skipped: 1, position: "8" });
    });

    it("runs a Datalog query, also as of a transaction, and rejects a query that XTDB refuses", async () => {
      const space = freshSpace();
      await using store = await open({ space });
      await store.commit([{ object: sample("a", { size: 1 }) }]);
      const query = `{:find [v] :in [type] :where [[o :type type] [o :${space}/version v]]}`;
      await store.commit([{ object: sample("a", { size: 2 }) }]);

      expect(await store.query(query, ["note"])).toEqual([[2]]);
      expect(await store.query(query, ["note"], { asOf: { txId: 1 } })).toEqual([[1]]);
      expect(await store.query(query, ["note"], { asOf: { txId: 0 } })).toEqual([]);
      await expect(store.query("{:find [x] :where [[y :a]]}")).rejects.toThrow(RangeError);
      await expect(store.query(query)).rejects.toThrow(/a value for each of its :in/);
      const to = `:${space}/to`;
      const circular = `{:find [s] :where [[s :id "a"] (reaches s s)]
        :rules [[(reaches [a] b) [a ${to} b]] [(reaches [a] b) [a ${to} c] (reaches c b)]]}`;
      await expect(store.query(circular)).rejects.toThrow(/no rule is within not/u);
    });
  },
);

const transit = "application/transit+json";

function freshSpace(): string {
  spaces += 1;
  return `f${process.pid}-${spaces}`;
}

function open(options: Partial<XtdbStoreOptions> = {}): Promise<XtdbStore> {
  return openXtdbStore({ url, token, space: freshSpace(), ...options });
}

/** Commits the next count of a counter that both clients share, together with a new object, until `times` are done. */
async function countUp(store: ObjectStore, name: string, times: number): Promise<void> {
  for (let time = 1; time <= times;) {
    const latest = await store.get(objectId("counter"));
    const count = Number(latest?.body["count"] ?? 0) + 1;
    try {
      await store.commit([
        { object: sample("counter", { count }), expect: latest?.version ?? 0 },
        { object: sample(`${name}-${time}`), expect: 0 },
      ]);
      time += 1;
    } catch (error) {
      // The other client committed first, which is allowed. The loop reads the counter again.
      if (!StoreError.is(error, "VERSION_CONFLICT")) throw error;
    }
  }
}

async function rows(store: XtdbStore, query: string): Promise<readonly unknown[]> {
  return (await store.query(query)).map(([first]) => first);
}

async function put(document: Readonly<Record<string, unknown>>): Promise<void> {
  await submit([["put", document]]);
}

async function submit(operations: readonly unknown[]): Promise<void> {
  const authorization = `Bearer ${token}`;
  const answer = await fetch(`${url}/_xtdb/submit-tx`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ "tx-ops": operations }),
  });
  const { txId } = (await answer.json()) as { readonly txId: number };
  await fetch(`${url}/_xtdb/await-tx?txId=${txId}&timeout=10000`, { headers: { authorization } });
}
