import {
  collectReferences,
  defined,
  type FindQuery,
  type JsonObject,
  type JsonValue,
  objectId,
  type ObjectId,
  type ObjectStore,
  type Referrer,
  type Scalar,
  type StoredMetadata,
} from "@self-context-manager/objects";
import assert from "node:assert/strict";

import { dynamic, inStore, sample } from "../samples.ts";
import type { Scenario } from "../store-place.ts";

const a = objectId("a");
const nowhere = objectId("nowhere");

export const absentIsUndefined: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await store.commit([{ object: sample("a", { nickname: "x" }) }]);

    assert.equal(await store.get(nowhere), undefined);
    assert.equal(await store.get(a, { version: 2 }), undefined);
    assert.equal(await store.get(a, { version: 0 }), undefined);
    assert.equal(await store.get(a, { txId: 0 }), undefined);
    assert.equal(await store.get(a, { txTime: "1999-01-01T00:00:00.000Z" }), undefined);
    assert.equal(await store.get(nowhere, { txId: 9 }), undefined);
    assert.deepEqual(
      (await store.getMany([nowhere, a, nowhere])).map((stored) => stored?.version),
      [undefined, 1, undefined],
    );
    assert.deepEqual(
      (await store.describe([nowhere, a])).map((stored) => stored?.version),
      [undefined, 1],
    );
    assert.deepEqual(await store.getMany([]), []);
    assert.deepEqual(await store.history(nowhere), []);
    assert.equal(await store.lookup("nobody"), undefined);
    assert.equal(await store.lookup("a"), undefined);
    assert.deepEqual(await store.find({ where: { type: "nothing" } }), { items: [] });
    assert.deepEqual(await store.referrers(nowhere), { items: [] });
    assert.deepEqual((await store.commit([])).versions, []);
  });

export const findAgreesWithScan: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    const long = "long ".repeat(500);
    const bodies = new Map<string, JsonObject>();
    for (let round = 0; round < 2; round += 1) {
      for (let index = 0; index < 60; index += 1) {
        // The order of the ids differs from the order of the commits. Some ids contain characters beyond the first
        // Unicode plane.
        const id = `${(index * 37) % 60}-${index % 9 === 0 ? "\u{1f600}" : "\uffee"}`;
        const fields = {
          type: ["file", "note", "toolcall"][(index + round) % 3] ?? "",
          size: index % 4,
          flag: index % 2 === 0,
          path: `${long}${index % 5}`,
          empty: index % 3 === 0 ? null : "",
          list: [index % 3],
          to: dynamic("t"),
          provenance: { origin: `origin ${(index + round) % 7}`, generator: "tool" as const },
          ...(index % 5 === 0 ? { rare: index % 10 === 0 ? null : "1" } : {}),
        };
        if (round === 1 && index % 2 === 0) continue;
        bodies.set(id, { ...fields });
        await store.commit([{ object: sample(id, fields) }]);
      }
    }

    const queries: readonly Readonly<Record<string, Scalar>>[] = [
      {},
      { type: "file" },
      { type: "note", flag: true },
      { size: 2 },
      { size: "2" },
      { flag: false, size: 3 },
      { path: `${long}3` },
      { path: `${long}7` },
      { empty: null },
      { empty: "" },
      { rare: null },
      { rare: "1" },
      { rare: 1 },
      { list: null },
      { to: null },
      { "to.id": "t" },
      { "provenance.origin": "origin 4" },
      { "provenance.origin": "origin 4", type: "file", rare: null },
      { "provenance.nothing": null, size: 0 },
      { provenance: null },
      { nothing: null },
      { "flag.inner": null, type: "toolcall" },
    ];
    for (const where of queries) {
      for (const newestFirst of [false, true]) {
        for (const idPrefix of ["", "1", "17-"]) {
          const expected = [...bodies]
            .filter(([id, body]) => id.startsWith(idPrefix) && meets(body, where))
            .map(([id]) => id);
          if (newestFirst) expected.reverse();
          const found = await findAll(
            store,
            { where, newestFirst, ...(idPrefix === "" ? {} : { idPrefix }) },
            7,
          );
          assert.deepEqual(
            found.map(({ body }) => body.id),
            expected,
            JSON.stringify({ where, newestFirst, idPrefix }),
          );
        }
      }
    }
    assert.equal((await store.find({})).items.length, 60);
    for (const field of ["content", "turns", "args.path", "blocks"]) {
      await assert.rejects(store.find({ where: { [field]: "x" } }), TypeError);
    }
    await assert.rejects(store.find({ limit: 0 }), RangeError);
    await assert.rejects(store.find({ after: "no place" }), RangeError);
  });

export const findByLastChange: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    const heads = new Map<string, string>();
    const changed = async (id: string, type: string, round: number): Promise<void> => {
      await store.commit([{ object: sample(id, { type, round }) }]);
      heads.delete(id);
      heads.set(id, type);
    };
    for (let round = 1; round <= 3; round += 1) {
      for (let index = 0; index < 20; index += 1) {
        if (index % (round + 1) === 1) continue;
        await changed(`${(index * 7) % 20}-o`, index % 6 === 0 ? "file" : "note", round);
      }
    }

    const queries: readonly FindQuery[] = [
      {},
      { idPrefix: "1" },
      { where: { type: "file" } },
      { where: { round: 3, type: "note" } },
      { where: { type: "note" }, idPrefix: "1" },
    ];
    for (const query of queries) {
      const all = await findAll(store, query, 100);
      const known = new Set(all.map(({ body }) => body.id as string));
      const expected = [...heads.keys()].filter((id) => known.has(id)).toReversed();
      for (const limit of [4, 100]) {
        const found = await findAll(store, { ...query, lastChangedFirst: true }, limit);
        assert.deepEqual(
          found.map(({ body }) => body.id),
          expected,
          JSON.stringify({ query, limit }),
        );
      }
    }
  });

async function findAll(
  store: ObjectStore,
  query: Parameters<ObjectStore["find"]>[0],
  limit: number,
): Promise<readonly StoredMetadata[]> {
  const all: StoredMetadata[] = [];
  let after: string | undefined;
  do {
    const page = await store.find({ ...query, limit, ...defined({ after }) });
    assert.ok(page.items.length <= limit);
    assert.ok(
      page.next === undefined || page.items.length === limit,
      "only a full page has a next",
    );
    all.push(...page.items);
    assert.ok(page.next === undefined || page.next !== after, "a page has a new cursor");
    after = page.next;
  } while (after !== undefined);
  return all;
}

function meets(body: JsonObject, where: Readonly<Record<string, Scalar>>): boolean {
  return Object.entries(where).every(([field, wanted]) => {
    let value: JsonValue | undefined = body;
    for (const name of field.split(".")) {
      const isInner: boolean =
        typeof value === "object" && value !== null && !Array.isArray(value) && !("ref" in value);
      value = isInner ? (value as JsonObject)[name] : undefined;
    }
    return wanted === null ? value === null || value === undefined : value === wanted;
  });
}

export const metadataLoadsNoContent: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    const bulk = [
      "content",
      "turns",
      "toolcall_refs",
      "loaded_refs",
      "blocks",
      "details",
      "args",
      "pool",
      "inactive_set",
    ];
    const fields = Object.fromEntries(
      bulk.map((field) => [field, field === "content" ? "text" : [dynamic("t")]]),
    );
    await store.commit([{ object: sample("a", { ...fields, nickname: "x", kept: true }) }]);
    await store.commit([
      { object: sample("a", { ...fields, nickname: "x", kept: true, again: true }) },
    ]);

    const answers = [
      ...(await store.history(a)),
      ...(await store.find({ where: { kept: true } })).items,
      ...(await store.describe([a])),
      await store.lookup("x"),
      ...(await store.changesSince()).versions,
    ];

    assert.equal(answers.length, 7);
    for (const answer of answers) {
      assert.equal(answer?.body["kept"], true);
      for (const field of bulk)
        assert.equal(Object.hasOwn(answer?.body ?? {}, field), false, field);
    }
    for (const referrer of (await store.referrers(objectId("t"))).items) {
      assert.deepEqual(Object.keys(referrer).sort(), ["id", "path", "reference"]);
    }
  });

export const backlinksAgreeWithScan: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    const point = {
      tx_id: 1,
      tx_time: "2026-01-01T00:00:00.000Z",
      content_hash: "c",
      metadata_view_hash: "m",
      object_hash: "o",
    };
    let refs: readonly JsonValue[] = [];
    for (let round = 0; round < 12; round += 1) {
      const fixed = {
        ref: "static",
        id: `t${round % 4}`,
        ...point,
        position: { turn: round, step: 0, call: 1 },
      };
      refs =
        round % 5 === 4
          ? [...refs.slice(0, 2), ...refs.slice(3)]
          : [...refs, fixed, dynamic(`t${round % 3}`)];
      if (round === 7)
        refs = refs.map((reference, index) =>
          index === 1 ? dynamic("t3", { field: "content" }) : reference,
        );
      const odd = round % 2 === 1;
      await store.commit([
        { object: sample("chat", { round, toolcall_refs: refs, session_ref: dynamic("t0") }) },
        {
          object: sample(
            "b",
            odd
              ? { note: { "a/b~c": [dynamic("t1")], to: dynamic("b") } }
              : { note: dynamic("t1") },
          ),
        },
        {
          object: sample(`n${round}`, {
            type: round % 2 === 0 ? "chat" : "note",
            args: { to: dynamic("t2") },
            turns: [{ user: dynamic("t2"), cites: [dynamic("t2")] }],
          }),
        },
      ]);
    }

    for (const target of ["t0", "t1", "t2", "t3", "b", "chat"]) {
      for (const kind of [undefined, "static", "dynamic"] as const) {
        const expected = (await scanReferences(store)).filter(
          ({ reference }) =>
            reference.id === target && (kind === undefined || reference.ref === kind),
        );
        const options = defined({ kind });
        const found = (await store.referrers(objectId(target), { ...options, limit: 1000 })).items;
        assert.deepEqual(found, expected, `${kind ?? "all"} to ${target}`);
        const paged: Referrer[] = [];
        let after: string | undefined;
        do {
          const page = await store.referrers(objectId(target), {
            ...options,
            limit: 3,
            ...defined({ after }),
          });
          paged.push(...page.items);
          assert.ok(page.next === undefined || page.next !== after, "a page has a new cursor");
          after = page.next;
        } while (after !== undefined);
        assert.deepEqual(paged, expected, `by pages to ${target}`);
      }
    }
  });

async function scanReferences(store: ObjectStore): Promise<readonly Referrer[]> {
  const found: Referrer[] = [];
  for (const { body } of await findAll(store, {}, 100)) {
    const whole = await store.get(body.id);
    const located = collectReferences(whole?.body ?? {}).map(({ path, reference }) => ({
      id: body.id,
      path,
      reference,
    }));
    found.push(...located.sort((one, other) => (one.path < other.path ? -1 : 1)));
  }
  return found;
}

export const unresolvedReferencesStay: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    const gone = dynamic("later");
    await store.commit([{ object: sample("a", { to: gone, turns: [{ cites: gone }] }) }]);
    const wanted: readonly Referrer[] = [
      { id: a, path: "/to", reference: gone },
      { id: a, path: "/turns/0/cites", reference: gone },
    ];

    assert.deepEqual((await store.referrers(objectId("later"))).items, wanted);
    assert.deepEqual((await store.get(a))?.body["to"], gone);
    await store.commit([{ object: sample("later") }]);
    assert.deepEqual((await store.referrers(objectId("later"))).items, wanted);
    await store.commit([{ object: sample("a", {}) }]);
    assert.deepEqual((await store.referrers(objectId("later"))).items, []);
  });

export const changesSinceIsComplete: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    const reported: string[] = [];
    const made: string[] = [];
    const start = await store.changesSince();
    assert.deepEqual(start.versions, []);
    let position = start.position;
    assert.equal((await store.changesSince(position)).position, position);
    for (let round = 1; round <= 9; round += 1) {
      const ids = ["a", "b", "c"].slice(0, 1 + (round % 3));
      const { versions } = await store.commit(ids.map((id) => ({ object: sample(id, { round }) })));
      made.push(...versions.map(({ id, version }) => `${id} ${version}`));
      if (round % 2 === 0) continue;
      const page = await store.changesSince(position, { limit: 2 });
      reported.push(...names(page.versions));
      position = page.position;
    }
    for (;;) {
      const page = await store.changesSince(position, { limit: 2 });
      if (page.versions.length === 0) break;
      reported.push(...names(page.versions));
      position = page.position;
    }

    assert.deepEqual(reported, made);
    assert.deepEqual(names((await store.changesSince()).versions), made);
    await assert.rejects(store.changesSince("no place"), RangeError);
  });

export const changesSinceCounts: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    assert.equal((await store.changesSince(undefined, { counts: true })).left, 0);
    for (let round = 1; round <= 5; round += 1)
      await store.commit([{ object: sample("a", { round }) }, { object: sample("b", { round }) }]);

    const left: (number | undefined)[] = [];
    let position: string | undefined;
    for (let page = 0; page < 5; page += 1) {
      const changes = await store.changesSince(position, { limit: 3, counts: true });
      left.push(changes.left);
      position = changes.position;
    }

    assert.deepEqual(left, [7, 4, 1, 0, 0]);
    assert.equal((await store.changesSince(position)).left, undefined);
  });

function names(
  versions: readonly { readonly body: { readonly id: ObjectId }; readonly version: number }[],
): string[] {
  return versions.map(({ body, version }) => `${body.id} ${version}`);
}
