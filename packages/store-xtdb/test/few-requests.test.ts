// If the machine has no Java, the tests are skipped with a warning.
/* oxlint-disable vitest/no-disabled-tests */
import { objectId } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { describe, expect, it } from "vitest";

import { openXtdbStore } from "../src/index.ts";
import { faultyProxy } from "./faulty-proxy.ts";
import { testNode } from "./test-node.ts";

const node = await testNode();
const { url, token } = "url" in node ? node : { url: "", token: "" };
let spaces = 0;

/** Two transactions of a commit: the second object names the transaction of the first. */
const noted = {
  first: [{ object: sample("a", { count: 1 }), expect: 0 }],
  next: ([made]: readonly { readonly at: { readonly tx_id: number } }[]) => [
    { object: sample("b", { of: made?.at.tx_id ?? null }), expect: 0 },
  ],
};

describe.skipIf("missing" in node)(
  `requests before a model call${"missing" in node ? `: ${node.missing}` : ""}`,
  { timeout: 60_000 },
  () => {
    it("stores two transactions with one request", async () => {
      await using proxy = await faultyProxy(url);
      await using store = await openXtdbStore({ url: proxy.url, token, space: freshSpace() });
      const before = proxy.seen.length;

      await store.commit(noted.first, { next: noted.next });

      expect(proxy.seen.slice(before)).toEqual(["submit-tx"]);
    });

    it("finds the objects of both as of the transaction of the first", async () => {
      const space = freshSpace();
      await using store = await openXtdbStore({ url, token, space });
      const { versions } = await store.commit(noted.first, { next: noted.next });
      const txIds = versions.map(({ at }) => at.tx_id);
      const all = `{:find [id] :where [[o :id id] [o :${space}/place]]}`;

      const states = await Promise.all(
        [0, ...txIds].map((txId) => store.query(all, [], { asOf: { txId } })),
      );

      const both = new Set(["a", "b"]);
      expect(states.map((rows) => new Set(rows.flat()))).toEqual([new Set(), both, both]);
    });

    it("asks the index, and no query, whether an id is free", async () => {
      await using proxy = await faultyProxy(url);
      await using store = await openXtdbStore({ url: proxy.url, token, space: freshSpace() });
      await store.commit(noted.first);
      const before = proxy.seen.length;

      const free = await Promise.all([store.getMany([objectId("call")]), store.lookup("call")]);

      expect(free).toEqual([[undefined], undefined]);
      expect(proxy.seen.slice(before)).toEqual(["entity-tx", "entity-tx"]);
    });

    it("finds the object of a path with one query", async () => {
      await using proxy = await faultyProxy(url);
      await using store = await openXtdbStore({ url: proxy.url, token, space: freshSpace() });
      await store.commit([{ object: sample("a", { path: "/a" }) }]);
      const before = proxy.seen.length;

      const found = await store.find({ where: { path: "/a" } });

      expect(found.items.map(({ body }) => body.id)).toEqual(["a"]);
      expect(proxy.seen.slice(before)).toEqual(["query"]);
    });

    it("reads the clock only, for a page of changes that this client made", async () => {
      await using proxy = await faultyProxy(url);
      await using store = await openXtdbStore({ url: proxy.url, token, space: freshSpace() });
      const { position } = await store.changesSince(undefined, { limit: 9 });
      await store.commit(noted.first, { next: noted.next });
      const before = proxy.seen.length;

      const changes = await store.changesSince(position, { limit: 9 });

      expect(changes.versions.map(({ body }) => body.id)).toEqual(["a", "b"]);
      expect(proxy.seen.slice(before)).toEqual(["entity"]);
    });

    it("reads the changes of other clients between its own", async () => {
      const space = freshSpace();
      await using store = await openXtdbStore({ url, token, space });
      await using other = await openXtdbStore({ url, token, space });
      const start = await store.changesSince(undefined, { limit: 9 });
      for (let count = 1; count <= 3; count += 1) {
        await store.commit([{ object: sample("own", { count }) }]);
        await other.commit([{ object: sample("other", { count }) }]);
      }
      const ids: string[] = [];
      let { position } = start;

      for (;;) {
        const page = await store.changesSince(position, { limit: 4 });
        if (page.versions.length === 0) break;
        ids.push(...page.versions.map(({ body, version }) => `${body.id} ${version}`));
        position = page.position;
      }

      expect(ids).toEqual(["own 1", "other 1", "own 2", "other 2", "own 3", "other 3"]);
    });
  },
);

function freshSpace(): string {
  spaces += 1;
  return `few${process.pid}-${spaces}`;
}
