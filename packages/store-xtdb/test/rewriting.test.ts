import {
  objectId,
  type ObjectStore,
  type RewriteRequest,
  StoreError,
  type StoredVersion,
} from "@self-context-manager/objects";
import { sample, testScale } from "@self-context-manager/store-contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openXtdbStore } from "../src/index.ts";
import { type FaultyProxy, faultyProxy } from "./faulty-proxy.ts";
import type { JoinedNode } from "../src/node/index.ts";
import { buildTimeout, lacking } from "./node/tools-at-hand.ts";
import { joinSharedNode } from "./shared-node.ts";

const [a, b, gone] = [objectId("a"), objectId("b"), objectId("gone")];
const versions = 60;

/** Puts `new` where each version of two objects has `old`, and removes a third object. */
const request: RewriteRequest = {
  objects: [a, b],
  change: ({ body }) =>
    sample(body.id, {
      content: String(body.content).replace("old", "new"),
      ...(body.nickname === undefined ? {} : { nickname: body.nickname.replace("old", "new") }),
    }),
  remove: [gone],
};

/** Stores two objects with many versions, and one that will be removed. */
async function fill(store: ObjectStore): Promise<void> {
  await store.commit([{ object: sample("gone", { content: "old", nickname: "gone name" }) }]);
  for (let count = 1; count <= versions; count += 1) {
    await store.commit([
      { object: sample("a", { content: `old ${count}`, nickname: "old name" }) },
      { object: sample("b", { content: `old ${count} ${"long ".repeat(300)}` }) },
    ]);
  }
}

type State = "old" | "new";

/** Each asks one question of a store, and returns the state that the answer is of. Fails for an answer of both. */
const questions: readonly ((store: ObjectStore) => Promise<State>)[] = [
  async (store) => wordOf(await store.get(a), versions),
  async (store) => wordOf(await store.get(b, { version: 3 }), 3),
  async (store) => ((await store.get(gone)) === undefined ? "new" : "old"),
  async (store) => ((await store.lookup("old name")) === undefined ? "new" : "old"),
  async (store) => ((await store.lookup("new name")) === undefined ? "old" : "new"),
  async (store) => {
    const { items } = await store.find({ where: { type: "note" } });
    const found = items.filter(({ body }) => !body.id.startsWith("other-"));
    expect(found.filter(({ version }) => version === versions)).toHaveLength(2);
    return found.length === 3 ? "old" : "new";
  },
  async (store) => {
    const [first, second] = await store.getMany([a, b]);
    const word = wordOf(first, versions);
    expect(wordOf(second, versions)).toBe(word);
    return word;
  },
  async (store) => {
    const found: StoredVersion[] = [];
    for await (const stored of store.versions(a)) found.push(stored);
    expect(found).toHaveLength(versions);
    const words = new Set(found.map((stored, index) => wordOf(stored, index + 1)));
    expect(words.size).toBe(1);
    return [...words][0] as State;
  },
  async (store) => {
    const { versions: all } = await store.changesSince();
    const ids = all.map(({ body }) => body.id).filter((id) => !id.startsWith("other-"));
    expect(ids).toHaveLength(ids.includes(gone) ? 2 * versions + 1 : 2 * versions);
    return ids.includes(gone) ? "old" : "new";
  },
];

function wordOf(stored: StoredVersion | undefined, version: number): State {
  expect(stored?.version).toBe(version);
  return String(stored?.body.content).startsWith("old") ? "old" : "new";
}

/** Returns the state of a store that all questions agree on. */
async function stateOf(store: ObjectStore): Promise<State> {
  const states = new Set<State>();
  for (const question of questions) states.add(await question(store));
  expect(states.size).toBe(1);
  return [...states][0] as State;
}

describe.skipIf(lacking !== undefined)("a rewrite of a store in XTDB", () => {
  let node: JoinedNode;
  let made = 0;

  beforeAll(async () => (node = await joinSharedNode()), buildTimeout);
  afterAll(async () => await node.leave());

  const space = (): string => `rewriting-${process.pid}-${(made += 1)}-${Date.now().toString(36)}`;

  async function open(name: string, proxy?: FaultyProxy, timeout = 30_000) {
    const { url, token } = node;
    return await openXtdbStore({ url: proxy?.url ?? url, token, space: name, timeout });
  }

  test(
    "is completed by the next client, wherever its own client ends",
    { timeout: 300_000 },
    async () => {
      const ends = testScale.isLong
        ? Array.from({ length: 70 }, (_, end) => end)
        : [0, 1, 2, 3, 8, 62];
      const states: string[] = [];
      for (const end of ends) {
        const name = space();
        {
          await using store = await open(name);
          await fill(store);
        }
        await using proxy = await faultyProxy(node.url);
        const dying = await open(name, proxy, 1_000);
        let submits = 0;
        proxy.decide((path) => {
          if (path === "submit-tx") submits += 1;
          return submits > end ? "lost" : "pass";
        });

        await expect(dying.rewrite(request)).rejects.toSatisfy((error) => StoreError.is(error));

        await using next = await open(name);
        const state = await stateOf(next);
        states.push(state);
        expect((await next.privacy()).generation).toBe(state === "new" ? 1 : 0);
        await next.commit([{ object: sample("a", { content: "later" }), expect: versions }]);
        const heir = next.commit([{ object: sample("heir", { nickname: "gone name" }) }]);
        const outcome = await heir.then(
          () => "new",
          (error: unknown) => (StoreError.is(error, "NICKNAME_TAKEN") ? "old" : error),
        );
        expect(outcome).toBe(state);
        expect((await next.get(a))?.version).toBe(versions + 1);
      }
      expect(states[0]).toBe("old");
      expect(states.at(-1)).toBe("new");
    },
  );

  test.each([undefined, "scm-watch"])(
    "is seen as a whole by clients that read and commit in the meantime (without the header %s)",
    { timeout: 120_000 },
    async (withoutHeader) => {
      const name = space();
      await using store = await open(name);
      await fill(store);
      await using proxy = await faultyProxy(
        node.url,
        withoutHeader === undefined ? {} : { withoutHeader },
      );
      await using reading = await open(name, proxy);
      await using writing = await open(name);
      const seen = questions.map((): State[] => []);
      const over = new AbortController();
      const read = questions.map(async (question, index) => {
        while (!over.signal.aborted) seen[index]?.push(await question(reading));
      });
      let commits = 0;
      const write = (async () => {
        while (!over.signal.aborted) {
          await writing.commit([{ object: sample(`other-${commits}`) }], {
            requestId: `r${commits}`,
          });
          commits += 1;
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
      })();
      await new Promise((resolve) => setTimeout(resolve, 500));

      const result = await store.rewrite(request);

      expect(result).toEqual({ changed: 2 * versions, removed: 1, generation: 1 });
      await new Promise((resolve) => setTimeout(resolve, 500));
      over.abort();
      await Promise.all([...read, write]);
      for (const states of seen) {
        expect(new Set(states)).toEqual(new Set(["old", "new"]));
        // No answer is older than the one before.
        expect(states).toEqual([...states].sort().toReversed());
      }
      expect((await store.find({ idPrefix: "other-", limit: 1000 })).items).toHaveLength(commits);
    },
  );

  test(
    "writes an object with more versions than are read at once",
    { timeout: 60_000 },
    async () => {
      await using store = await open(space());
      const count = 210;
      for (let version = 1; version <= count; version += 1)
        await store.commit([{ object: sample("a", { content: `old ${version}` }) }]);

      const result = await store.rewrite({ ...request, objects: [a] });

      expect(result.changed).toBe(count);
      const contents: unknown[] = [];
      for await (const { body } of store.versions(a)) contents.push(body.content);
      expect(contents).toEqual(Array.from({ length: count }, (_, index) => `new ${index + 1}`));
    },
  );

  test("keeps a long text that another object has", { timeout: 60_000 }, async () => {
    const long = `shared ${"words ".repeat(1_000)}`;
    const name = space();
    await using store = await open(name);
    await store.commit([
      { object: sample("a", { content: long }) },
      { object: sample("b", { content: long }) },
    ]);
    await store.commit([{ object: sample("c", { content: "c", title: long.repeat(15) }) }]);
    await store.commit([{ object: sample("d", { content: "d", title: long.repeat(15) }) }]);

    await store.rewrite({ objects: [], change: () => undefined, remove: [a, objectId("c")] });

    await using other = await open(name);
    expect((await other.get(b))?.body.content).toBe(long);
    expect((await other.get(objectId("d")))?.body["title"]).toBe(long.repeat(15));
    await other.rewrite({ objects: [], change: () => undefined, remove: [b] });
    const chunks = await other.query(
      `{:find [c] :where [(or [c :${name}/text] [c :${name}/packed])]}`,
    );
    expect(chunks.length).toBeGreaterThan(0);
    await other.rewrite({ objects: [], change: () => undefined, remove: [objectId("d")] });
    expect(
      await other.query(`{:find [c] :where [(or [c :${name}/text] [c :${name}/packed])]}`),
    ).toEqual([]);

    // This client has stored the text before, and the rewrites were those of the other one.
    await store.commit([{ object: sample("e", { content: long }) }]);
    expect((await other.get(objectId("e")))?.body.content).toBe(long);
  });

  test("costs a commit and a read no further request", async () => {
    const name = space();
    await using proxy = await faultyProxy(node.url);
    await using store = await open(name, proxy);
    const {
      versions: [first],
    } = await store.commit([{ object: sample("a") }]);
    const before = proxy.seen.length;

    await store.commit([{ object: sample("a", { content: "2" }), expect: first?.version ?? 0 }]);
    expect(proxy.seen.slice(before)).toEqual(["submit-tx"]);
    await store.get(a);
    expect(proxy.seen.slice(before)).toEqual(["submit-tx", "query"]);
  });

  test(
    "is noticed on a server that does not report changes, as XTDB's own does not",
    { timeout: 60_000 },
    async () => {
      const name = space();
      await using proxy = await faultyProxy(node.url, { withoutHeader: "scm-watch" });
      await using store = await open(name, proxy);
      await fill(store);
      await using other = await open(name, proxy);
      expect(await stateOf(other)).toBe("old");
      const { generation } = await other.privacy();

      await store.rewrite(request);

      expect(await stateOf(other)).toBe("new");
      const write = { object: sample("a", { content: "from before" }) };
      await expect(other.commit([write], { generation })).rejects.toMatchObject({
        code: "VERSION_CONFLICT",
      });
      expect(await stateOf(store)).toBe("new");
    },
  );
});
