import {
  type ForgottenText,
  hashObject,
  importObjects,
  exportObjects,
  objectId,
  type ObjectStore,
  type RewriteRequest,
  type SealedObject,
  sealObject,
  storable,
  type StoredVersion,
} from "@self-context-manager/objects";
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

import { seededRandom, testScale } from "../../scale.ts";
import { startChild } from "../child-process.ts";
import {
  allVersions,
  collect,
  collectVersions,
  dynamic,
  fingerprint,
  inStore,
  rejectsWith,
  sample,
} from "../samples.ts";
import { rewriteMark, rewriteSecret, withoutSecret } from "../store-child.ts";
import type { CreatePlace, Scenario } from "../store-place.ts";
import { entryOf } from "./documents.ts";

const [a, b, c] = [objectId("a"), objectId("b"), objectId("c")];
const parser = "a parser";

/** Stores objects that have the secret in every kind of field, short and long, in first, middle and latest versions. */
async function storeSecret(store: ObjectStore): Promise<void> {
  const long = `${"long text ".repeat(300)}${rewriteSecret} ${"and more ".repeat(200)}`;
  for (let count = 1; count <= 12; count += 1) {
    const isIn = count % 3 === 0;
    const text = isIn ? rewriteSecret : `plain ${count}`;
    await store.commit([
      {
        object: sample("a", {
          count,
          content: isIn ? long : `text ${count}`,
          title: text,
          inner: { list: [text, count] },
          turns: [{ user: `turn ${count}`, steps: [text] }],
          args: { [isIn ? rewriteSecret : "name"]: count },
          ...(isIn ? { nickname: `key ${rewriteSecret}` } : {}),
          to: dynamic("b"),
        }),
      },
      { object: sample("b", { count, content: `of b ${count}`, to: dynamic("a") }) },
    ]);
  }
  await store.commit([
    { object: sample("c", { content: `only c ${rewriteSecret} ${long}`, nickname: "gone" }) },
    { object: sample("d", { content: "of d", to: dynamic("c") }) },
  ]);
  await store.documents.keep(
    parser,
    [entryOf("a", [rewriteSecret])],
    (await store.changesSince()).position,
  );
}

const masking: RewriteRequest = {
  objects: [a],
  change: withoutSecret,
  remove: [c],
  forgotten: [
    {
      kind: "span",
      length: rewriteSecret.length,
      hash: "0f".repeat(16),
      print: 7,
      mark: rewriteMark,
    },
  ],
};

export const rewrittenKeepsItsPlace: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await storeSecret(store);
    const before = await allVersions(store);
    const wanted = before.map(masked).filter((stored) => stored.body.id !== c);

    const result = await store.rewrite(masking);

    assert.deepEqual(result, { changed: 4, removed: 1, generation: 1 });
    assert.deepEqual((await allVersions(store)).map(fingerprint), wanted.map(fingerprint));
    for (const stored of wanted) {
      const { id } = stored.body;
      const { version, at, hashes } = stored;
      assert.deepEqual({ ...hashes }, hashObject(stored.body));
      for (const selector of [{ version }, { txId: at.tx_id }])
        assert.equal(fingerprint(await store.get(id, selector)), fingerprint(stored));
      assert.equal(
        (await store.get(id, { contentHash: hashes.content_hash }))?.hashes.content_hash,
        hashes.content_hash,
      );
    }
    const history = wanted.filter(({ body }) => body.id === a);
    assert.deepEqual(
      (await collectVersions(store.versions(a))).map(fingerprint),
      history.map(fingerprint),
    );
    assert.equal((await store.find({ where: { title: rewriteMark } })).items.length, 1);
    assert.equal((await store.find({ where: { title: rewriteSecret } })).items.length, 0);
    assert.equal((await store.lookup(`key ${rewriteMark}`))?.body.id, a);
    assert.equal(await store.lookup(`key ${rewriteSecret}`), undefined);
    assert.equal((await store.referrers(b)).items.length, 1);

    // The next versions follow those that were rewritten.
    await store.commit([{ object: sample("a", { content: "later" }), expect: 12 }]);
    assert.equal((await store.get(a))?.version, 13);
    assert.equal(fingerprint(await store.get(a, { version: 12 })), fingerprint(history.at(-1)));
    await copyIsWhole(store, createPlace);
  });

async function copyIsWhole(store: ObjectStore, createPlace: CreatePlace): Promise<void> {
  const lines = await collect(exportObjects(store));
  await inStore(createPlace, async (copy) => {
    await importObjects(copy, () => lines);
    assert.deepEqual(await collect(exportObjects(copy)), lines);
  });
}

/** Returns what a version becomes. */
function masked(stored: StoredVersion): StoredVersion {
  const object: SealedObject | undefined = stored.body.id === a ? withoutSecret(stored) : undefined;
  return object === undefined ? stored : { ...stored, body: object.body, hashes: object.hashes };
}

export const rewrittenIsGone: Scenario = (createPlace) =>
  inStore(createPlace, async (store, place) => {
    await storeSecret(store);
    assert.ok((await everything(store)).includes(rewriteSecret));
    if (place.stored !== undefined) assert.ok((await place.stored()).includes(rewriteSecret));

    await store.rewrite(masking);

    assert.ok(!(await everything(store)).includes(rewriteSecret), "an answer has the text");
    assert.deepEqual(await store.documents.named(parser, [rewriteSecret]), []);
    assert.equal(await store.documents.position(parser), undefined);
    if (place.stored !== undefined)
      assert.ok(!(await place.stored()).includes(rewriteSecret), "a file has the text");
    // What another process made of the former versions comes too late.
    await store.documents.keep(parser, [entryOf("a", [rewriteSecret])], "25");
    assert.deepEqual(await store.documents.named(parser, [rewriteSecret]), []);
  });

async function everything(store: ObjectStore): Promise<string> {
  const versions = await allVersions(store);
  const { items } = await store.find({ limit: 1000 });
  const exported = await collect(exportObjects(store));
  return JSON.stringify([versions, items, exported]);
}

export const removedIsAbsent: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await storeSecret(store);
    const { position } = await store.changesSince();
    const first = { object: sample("again", { content: "first" }), expect: 0 };
    await store.commit([first], { requestId: "begin" });

    await store.rewrite({
      objects: [],
      change: () => undefined,
      remove: [c, objectId("again"), objectId("nowhere")],
    });

    assert.equal(await store.get(c), undefined);
    assert.equal(await store.get(c, { version: 1 }), undefined);
    assert.deepEqual(await store.getMany([c, b]), [undefined, await store.get(b)]);
    assert.deepEqual(await store.describe([c]), [undefined]);
    assert.deepEqual(await store.history(c), []);
    assert.deepEqual(await collectVersions(store.versions(c)), []);
    assert.equal(await store.lookup("gone"), undefined);
    assert.ok((await store.find({})).items.every(({ body }) => body.id !== c));
    assert.deepEqual(
      (await store.referrers(c)).items.map(({ id }) => id),
      [objectId("d")],
    );
    const all = await store.changesSince();
    const again = await store.changesSince(position);
    assert.equal(again.restarted, true);
    assert.deepEqual(again.versions, all.versions);
    assert.equal((await store.changesSince(all.position)).restarted, undefined);
    assert.equal(all.restarted, undefined);

    const begun = await store.commit([first], { requestId: "begin" });
    assert.equal(begun.replayed, false);
    assert.equal((await store.get(objectId("again")))?.body.content, "first");
    await store.commit([
      { object: sample("c", { content: "another" }), expect: 0 },
      { object: sample("e", { nickname: "gone" }), expect: 0 },
    ]);
    assert.equal((await store.get(c))?.version, 1);
    assert.equal((await store.lookup("gone"))?.body.id, objectId("e"));
    assert.equal((await store.changesSince(all.position)).versions.length, 3);
  });

export const rewriteIsAtomic: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await storeSecret(store);
    const before = (await allVersions(store)).map(fingerprint);
    const failing: RewriteRequest = {
      ...masking,
      change(stored) {
        if (stored.version === 9) throw new RangeError("no");
        return withoutSecret(stored);
      },
    };

    await assert.rejects(store.rewrite(failing), RangeError);
    await assert.rejects(store.rewrite({ objects: [a], change: () => sample("other") }), TypeError);
    await rejectsWith(
      "NICKNAME_TAKEN",
      store.rewrite({
        objects: [b],
        change: ({ body }) => sealObject(storable({ ...body, nickname: "gone" })),
      }),
    );

    assert.deepEqual((await allVersions(store)).map(fingerprint), before);
    const { generation, forgotten } = await store.privacy();
    assert.deepEqual({ generation, forgotten }, { generation: 0, forgotten: [] });
  });

const kills = testScale.isLong ? 100 : 4;

export const rewriteSurvivesKill: Scenario = async (createPlace) => {
  const random = seededRandom(testScale.seed);
  for (let kill = 0; kill < kills; kill += 1) {
    await using place = await createPlace();
    let before: readonly StoredVersion[];
    {
      await using store = await place.open();
      await storeSecret(store);
      before = await allVersions(store);
    }
    {
      await using child = startChild(place, { job: "rewrite" });
      await child.printed(1);
      await delay(random() * 40);
      child.kill();
      await child.ended();
    }
    await using store = await place.open();
    const after = (await allVersions(store)).map(fingerprint);
    const former = before.map(fingerprint);
    const latter = before
      .map(masked)
      .filter(({ body }) => body.id !== c)
      .map(fingerprint);
    const isDone = after.length === latter.length;
    assert.deepEqual(after, isDone ? latter : former, `kill ${kill} (seed ${testScale.seed})`);

    await store.rewrite(masking);

    assert.deepEqual((await allVersions(store)).map(fingerprint), latter);
    if (place.stored !== undefined)
      assert.ok(
        !(await place.stored()).includes(rewriteSecret),
        `kill ${kill}: a file has the text`,
      );
  }
};

export const rewriteIsNoticed: Scenario = (createPlace) =>
  inStore(createPlace, async (store, place) => {
    await storeSecret(store);
    const other = store.supports.shared ? await place.open() : store;
    // Both have read the latest versions, and may have kept them.
    await other.getMany([a, b, c]);
    const { generation } = await other.privacy();

    await store.rewrite(masking);

    assert.equal(fingerprint(await other.get(a)), fingerprint(await store.get(a)));
    assert.equal(await other.get(c), undefined);
    const write = { object: sample("a", { content: "from before" }), expect: 12 };
    await rejectsWith("VERSION_CONFLICT", other.commit([write], { generation }));
    assert.equal((await store.get(a))?.version, 12);
    const now = await other.privacy();
    await other.commit([write], { generation: now.generation });
    assert.equal((await store.get(a))?.version, 13);
    if (other !== store) await other[Symbol.asyncDispose]();
  });

export const privacyIsKept: Scenario = async (createPlace) => {
  await using place = await createPlace();
  await using store = await place.open();
  const { key, generation, forgotten } = await store.privacy();
  assert.match(key, /^[0-9a-f]{64}$/u);
  assert.deepEqual({ generation, forgotten }, { generation: 0, forgotten: [] });

  const rewrite = async (...texts: readonly ForgottenText[]): Promise<void> => {
    await store.rewrite({ objects: [], change: () => undefined, forgotten: texts });
  };
  await rewrite(text("01"), text("02"));
  await rewrite(text("02"), text("03"));

  const kept = { key, generation: 2, forgotten: [text("01"), text("02"), text("03")] };
  assert.deepEqual(await store.privacy(), kept);
  await inStore(createPlace, async (elsewhere) => {
    assert.notEqual((await elsewhere.privacy()).key, key);
  });
  assert.ok(!(await collect(exportObjects(store))).join("\n").includes(key));
  if (!store.supports.durable) return;
  await store[Symbol.asyncDispose]();
  await using reopened = await place.open();
  assert.deepEqual(await reopened.privacy(), kept);
};

function text(hash: string): ForgottenText {
  return { kind: "whole", length: 3, hash, mark: rewriteMark };
}
