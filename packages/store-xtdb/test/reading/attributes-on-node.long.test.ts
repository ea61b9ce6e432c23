// If the machine has no Java, the tests are skipped with a warning.
/* oxlint-disable vitest/no-disabled-tests */
import {
  type JsonObject,
  objectId,
  type SealedObject,
  sealObject,
  storable,
  type StoredVersion,
} from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { openXtdbStore } from "../../src/index.ts";
import { testNode } from "../test-node.ts";

const node = await testNode();
const { url, token } = "url" in node ? node : { url: "", token: "" };
let spaces = 0;

const name = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constantFrom(
    "xt/id",
    "xt/fn",
    "crux.db/fn",
    "xtdb.api/evicted?",
    "__proto__",
    "a.b",
    "",
    ":x",
  ),
);
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" }),
  fc.dictionary(name, fc.jsonValue({ maxDepth: 1 })),
  fc.constantFrom("\u0000", "~#x", "^1", 2 ** 60, 1e300, -0.5, "x".repeat(300)),
);

describe.skipIf("missing" in node)(
  `attributes in XTDB${"missing" in node ? `: ${node.missing}` : ""}`,
  { timeout: 120_000 },
  () => {
    it("returns any fields as they were stored, and finds each scalar", async () => {
      await using store = await openXtdbStore({ url, token, space: freshSpace(), timeout: 60_000 });
      const objects = fc
        .sample(fc.dictionary(name, value, { maxKeys: 5 }), 150)
        .map((fields, index) => anyObject(`o-${index}`, fields as JsonObject));
      await store.commit(objects.map((object) => ({ object })));
      await using reader = await openXtdbStore({ url, token, space: spaceOf(), timeout: 60_000 });

      const read = await reader.getMany(objects.map(({ body }) => body.id));

      expect(read.map((stored) => stored?.body)).toEqual(objects.map(({ body }) => body));
      expect(read.map((stored) => stored?.hashes)).toEqual(objects.map(({ hashes }) => hashes));
      for (const { body } of objects.slice(0, 40)) {
        for (const [field, one] of Object.entries(body)) {
          if (typeof one !== "string" || field === "content" || field.includes(".")) continue;
          const { items } = await reader.find({ where: { [field]: one }, limit: 200 });
          expect(items.map((found) => found.body.id)).toContain(body.id);
        }
      }
    });

    it("lists objects that are further apart than it reads at once, in both orders", async () => {
      await using store = await openXtdbStore({ url, token, space: freshSpace(), timeout: 60_000 });
      const ids = Array.from({ length: 2_003 }, (_, index) => `o-${10_000 + index}`);
      // 85 of 512 objects are wanted, among them the first one after those 512, from both ends.
      const isWanted = (index: number): boolean => index % 6 === 2;
      await store.commit(
        ids.map((id, index) => ({ object: sample(id, { wanted: isWanted(index) }) })),
      );
      const wanted = ids.filter((_, index) => isWanted(index));

      for (const newestFirst of [false, true]) {
        const found: string[] = [];
        let after: string | undefined;
        do {
          const page = await store.find({
            where: { wanted: true },
            limit: 120,
            newestFirst,
            ...(after === undefined ? {} : { after }),
          });
          found.push(...page.items.map(({ body }) => body.id));
          after = page.next;
        } while (after !== undefined);

        expect(found).toEqual(newestFirst ? wanted.toReversed() : wanted);
      }
    });

    it("finds ids of any length by their beginning", async () => {
      await using store = await openXtdbStore({ url, token, space: freshSpace(), timeout: 60_000 });
      const ids = [`long-${"x".repeat(400)}`, "long-y", `other-${"x".repeat(400)}`];
      await store.commit(ids.map((id) => ({ object: sample(id) })));

      const found = await store.find({ idPrefix: "long-" });
      const longer = await store.find({ idPrefix: `long-${"x".repeat(300)}` });

      expect(found.items.map(({ body }) => body.id)).toEqual([ids[0], ids[1]]);
      expect(longer.items.map(({ body }) => body.id)).toEqual([ids[0]]);
    });

    it("finds versions by number, transaction and time after an import of earlier transactions", async () => {
      await using store = await openXtdbStore({ url, token, space: freshSpace(), timeout: 60_000 });
      for (const count of [1, 2, 3]) await store.commit([{ object: sample("own", { count }) }]);
      const imported = [1, 2, 3].map((version) =>
        restored("imported", version, {
          tx_id: version,
          tx_time: `200${version}-01-01T00:00:00.000Z`,
        }),
      );
      await store.restore(imported);
      await using reader = await openXtdbStore({ url, token, space: spaceOf(), timeout: 60_000 });

      const at = async (id: string, txId: number): Promise<unknown> =>
        (await reader.get(objectId(id), { txId }))?.version;
      expect([await at("imported", 1), await at("imported", 2)]).toEqual([1, 2]);
      expect([await at("own", 1), await at("own", 2), await at("own", 0)]).toEqual([
        1,
        2,
        undefined,
      ]);
      const byTime = await reader.get(objectId("imported"), { txTime: "2002-06-01T00:00:00Z" });
      expect(byTime).toEqual(imported[1]);
      expect((await reader.history(objectId("imported"))).map(({ version }) => version)).toEqual([
        1, 2, 3,
      ]);
    });

    it("knows who has a nickname that changed hands and was given up within an import", async () => {
      await using store = await openXtdbStore({ url, token, space: freshSpace(), timeout: 60_000 });
      await store.commit([{ object: sample("first", { nickname: "the-plan" }) }]);
      const at = (txId: number) => ({ tx_id: txId, tx_time: "2100-01-01T00:00:00.000Z" });
      await store.restore([
        restored("first", 2, at(11)),
        restored("second", 1, at(11), { nickname: "the-plan" }),
        restored("second", 2, at(12)),
      ]);
      await using reader = await openXtdbStore({ url, token, space: spaceOf(), timeout: 60_000 });

      expect(await reader.lookup("the-plan")).toBeUndefined();
      await reader.commit([{ object: sample("third", { nickname: "the-plan" }) }]);
      expect((await reader.lookup("the-plan"))?.body.id).toBe("third");
    });

    it("shows Datalog no reference that an object has no longer", async () => {
      await using store = await openXtdbStore({ url, token, space: freshSpace(), timeout: 60_000 });
      const withCalls = (count: number): SealedObject =>
        sample("chat", {
          toolcall_refs: Array.from({ length: count }, (_, index) => ({
            ref: "dynamic",
            id: `call-${index}`,
          })),
        });
      await store.commit([{ object: withCalls(20) }]);
      await store.commit([{ object: withCalls(3) }]);

      const space = spaceOf();
      const targets = await store.query(
        `{:find [t] :where [[d :${space}/from "${space}/object/chat"] [d :${space}/to t]]}`,
      );

      expect(targets.map(([target]) => String(target)).toSorted()).toEqual(
        [0, 1, 2].map((index) => `${space}/object/call-${index}`),
      );
    });

    it("gives each version of a long history, also from the middle of it", async () => {
      await using store = await openXtdbStore({ url, token, space: freshSpace(), timeout: 60_000 });
      const versions = Array.from({ length: 1_100 }, (_, index) =>
        restored("long", index + 1, { tx_id: index + 1, tx_time: "2020-01-01T00:00:00.000Z" }),
      );
      await store.restore(versions);
      await using reader = await openXtdbStore({ url, token, space: spaceOf(), timeout: 60_000 });

      const all = await reader.history(objectId("long"));
      const some = await reader.history(objectId("long"), { after: 520, limit: 3 });

      expect(all.map(({ body }) => body["count"])).toEqual(versions.map(({ version }) => version));
      expect(some.map(({ version }) => version)).toEqual([521, 522, 523]);
      expect(await reader.get(objectId("long"), { version: 700 })).toEqual(versions[699]);
      expect((await reader.changesSince("1090")).versions).toHaveLength(10);
    });
  },
);

function anyObject(id: string, fields: JsonObject): SealedObject {
  const { content_fields: _, view: __, nickname: ___, ...others } = fields;
  return sealObject(
    storable({
      ...others,
      content: null,
      locked: false,
      provenance: { origin: "a test", generator: "human" },
      type: "note",
      id: objectId(id),
    }),
  );
}

function restored(
  id: string,
  version: number,
  at: StoredVersion["at"],
  fields: JsonObject = {},
): StoredVersion {
  const { body, hashes } = sample(id, { count: version, content: `text ${version}`, ...fields });
  return { body, hashes, version, at };
}

function freshSpace(): string {
  spaces += 1;
  return spaceOf();
}

function spaceOf(): string {
  return `attributes-${process.pid}-${spaces}`;
}
