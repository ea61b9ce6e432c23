import {
  exportObjects,
  hashObject,
  importObjects,
  type JsonObject,
  type JsonValue,
  objectId,
  sha256,
  type StoredVersion,
} from "@self-context-manager/objects";
import assert from "node:assert/strict";

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
import type { Scenario } from "../store-place.ts";

const a = objectId("a");

export const versionsNeverChange: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    const turns: { readonly user: string; readonly steps: readonly string[] }[] = [];
    const seen = new Map<number, string>();
    for (let count = 1; count <= 40; count += 1) {
      if (count % 3 !== 0)
        turns.push({ user: `question ${count} ${"long ".repeat(300)}`, steps: [] });
      const last = turns.pop();
      if (last !== undefined) turns.push({ ...last, steps: [...last.steps, `step ${count}`] });
      if (count % 11 === 0) turns.splice(1, 2);
      const content = count % 13 === 0 ? null : turns.map(({ user }) => user).join("\n");
      await store.commit([
        { object: sample("a", { count, turns: [...turns], content, to: dynamic(`t${count}`) }) },
      ]);
      seen.set(count, fingerprint(await store.get(a, { version: count })));
      const metadata = (await store.history(a)).at(-1);
      // If the caller changes an answer, the store must not change.
      if (metadata !== undefined) Reflect.set(metadata.body, "type", "broken");
    }

    for (const order of [[...seen.keys()], [...seen.keys()].toReversed(), [7, 31, 2, 40, 19]]) {
      for (const version of order) {
        assert.equal(
          fingerprint(await store.get(a, { version })),
          seen.get(version),
          `version ${version}`,
        );
      }
    }
    assert.ok((await store.history(a)).every(({ body }) => body.type === "note"));
  });

export const versionsAgreeWithGet: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    const rows: { readonly row: number; readonly parts: readonly string[] }[] = [];
    const settled = { text: "settled ".repeat(200), list: [["one"], ["two"]] };
    const count = 130;
    for (let number = 1; number <= count; number += 1) {
      // Sometimes most rows leave, so that a store with deltas stores the object whole again.
      if (number % 37 === 0) rows.splice(1, rows.length - 3);
      rows.push({ row: number, parts: [`part ${number}`, "long ".repeat(number % 5)] });
      if (number % 7 === 0) rows[1] = { row: -number, parts: [] };
      const args = number % 50 === 0 ? { b: 1, a: [2] } : { a: [2], b: 1 };
      const content = number % 13 === 0 ? null : `text ${number % 4} ${"grows ".repeat(number)}`;
      const state = number % 31 === 0 ? "changed" : "usual";
      await store.commit([
        { object: sample("other", { number }) },
        {
          object: sample("a", {
            content,
            turns: rows.map(({ row, parts }) => ({ row, parts: [...parts] })),
            args,
            blocks: [structuredClone(settled)],
            labels: [state, { of: state }, { of: "all" }],
          }),
        },
      ]);
    }

    const expected = new Map<number, StoredVersion>();
    for (let version = 1; version <= count; version += 1) {
      const stored = await store.get(a, { version });
      if (stored !== undefined) expected.set(version, stored);
    }
    for (const range of [undefined, { from: 3 }, { from: 63, to: 102 }, { to: 1 }, { from: 120 }]) {
      const { from = 1, to = count } = range ?? {};
      const read = await collectVersions(store.versions(a, range));
      assert.deepEqual(
        read.map(({ version }) => version),
        Array.from({ length: to - from + 1 }, (_, index) => from + index),
      );
      for (const [index, stored] of read.entries()) {
        const one = expected.get(stored.version);
        assert.equal(fingerprint(stored), fingerprint(one));
        // The order of fields counts too: it is that of the tool or provider.
        assert.equal(JSON.stringify(stored.body["args"]), JSON.stringify(one?.body["args"]));
        checkShared(read[index - 1]?.body, stored.body);
      }
    }
    for (const range of [{ from: count + 1 }, { from: 5, to: 4 }])
      assert.deepEqual(await collectVersions(store.versions(a, range)), []);
    assert.deepEqual(await collectVersions(store.versions(objectId("unknown"))), []);
    assert.equal((await collectVersions(store.versions(a, { from: -3 }))).length, count);

    // A version that is stored while another one is read does not disturb the reading.
    let seen = 0;
    for await (const { version } of store.versions(a)) {
      seen += 1;
      assert.equal(version, seen);
      if (seen === 60) await store.commit([{ object: sample("a", { seen }) }]);
    }
    assert.ok(seen >= count);
  });

/** Checks that equal parts of consecutive versions are one frozen value. */
function checkShared(before: JsonObject | undefined, after: JsonObject): void {
  for (const [field, value] of Object.entries(after)) {
    const former = before?.[field];
    if (typeof value !== "object" || value === null) continue;
    assert.ok(Object.isFrozen(value), `${field} is not frozen`);
    if (typeof former !== "object" || former === null) continue;
    if (JSON.stringify(value) === JSON.stringify(former)) {
      assert.equal(value, former, `${field} is equal, and not shared`);
    } else if (Array.isArray(value) && Array.isArray(former)) checkItems(former, value);
  }
}

function checkItems(before: readonly JsonValue[], after: readonly JsonValue[]): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  for (; start < shorter && isEqual(before[start], after[start]); start += 1)
    assert.equal(after[start], before[start], `item ${start} is equal, and not shared`);
  for (let end = 1; end <= shorter - start && isEqual(before.at(-end), after.at(-end)); end += 1)
    assert.equal(after.at(-end), before.at(-end), `item -${end} is equal, and not shared`);
}

function isEqual(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export const versionsAreOrdered: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    const transactions: number[] = [];
    for (let count = 1; count <= 12; count += 1) {
      await store.commit([{ object: sample("other", { count }) }]);
      const { versions } = await store.commit([{ object: sample("a", { count }) }]);
      assert.equal(versions[0]?.version, count);
      transactions.push(versions[0].at.tx_id);
    }

    const history = await store.history(a);

    assert.deepEqual(
      history.map(({ version }) => version),
      transactions.map((_, index) => index + 1),
    );
    assert.deepEqual(
      history.map(({ at }) => at.tx_id),
      transactions,
    );
    assert.deepEqual(
      transactions,
      [...new Set(transactions)].sort((one, other) => one - other),
    );
    const last = transactions.at(-1) ?? 0;
    for (let txId = 0; txId <= last + 2; txId += 1) {
      const wanted = transactions.filter((transaction) => transaction <= txId).length;
      const found = await store.get(a, { txId });
      assert.equal(found?.version ?? 0, wanted, `as of transaction ${txId}`);
      assert.equal(found?.body["count"] ?? 0, wanted);
    }
    const part = await store.history(a, { after: 4, limit: 3 });
    assert.deepEqual(
      part.map(({ version }) => version),
      [5, 6, 7],
    );
    assert.deepEqual(await store.history(a, { after: 12 }), []);
  });

export const timeAgreesWithOrder: Scenario = async (createPlace) => {
  await using place = await createPlace();
  const base = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  const readings = [0, 0, 5, -1000, 3, 5, 9, 9, 2];
  let reading = 0;
  await using store = await place.open({ clock: { now: () => base + reading } });
  const times: string[] = [];
  for (const [index, next] of readings.entries()) {
    reading = next;
    const { versions } = await store.commit([{ object: sample("a", { index }) }]);
    times.push(versions[0]?.at.tx_time ?? "");
  }

  const expected = readings.map((_, index) => base + Math.max(...readings.slice(0, index + 1)));
  assert.deepEqual(
    times,
    expected.map((time) => new Date(time).toISOString()),
  );
  for (let time = base - 2; time <= base + 11; time += 1) {
    const wanted = expected.filter((stamp) => stamp <= time).length;
    const found = await store.get(a, { txTime: new Date(time).toISOString() });
    assert.equal(found?.version ?? 0, wanted, `as of ${time - base} ms`);
  }
  const elsewhere = await store.get(a, { txTime: "2026-01-02T04:04:05.678+01:00" });
  assert.equal(elsewhere?.version, 2);
  await assert.rejects(store.get(a, { txTime: "yesterday" }), RangeError);
};

export const timesAreBounded: Scenario = async (createPlace) => {
  await using place = await createPlace();
  const day = 24 * 60 * 60 * 1000;
  const base = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  const ahead = Date.UTC(2150, 0, 1);
  // A reading of the clock, and the time of the transaction that is committed then.
  const steps: readonly (readonly [reading: number, time: number])[] = [
    [base, base],
    [Date.UTC(256168, 0, 1), base],
    [8.64e15 + 1, base],
    [-1, base],
    [base + 5, base + 5],
    [ahead, ahead],
    [ahead - day, ahead],
    [base + 4, base + 5],
    [base + 9, base + 9],
  ];
  let reading = base;
  await using store = await place.open({ clock: { now: () => reading } });
  for (const [index, [next, time]] of steps.entries()) {
    reading = next;
    // The clock is set back while another object is written, and a day counts for each object.
    const id = next > base + day && next <= ahead ? "other" : "a";
    const { versions } = await store.commit([{ object: sample(id, { index }) }]);
    assert.equal(versions[0]?.at.tx_time, new Date(time).toISOString(), `reading ${next}`);
  }
  assert.equal((await store.get(a, { txTime: new Date(base + 5).toISOString() }))?.version, 6);
  assert.equal((await store.get(a, { txTime: new Date(ahead).toISOString() }))?.version, 7);

  await inStore(createPlace, async (copy) => {
    const lines = await collect(exportObjects(store));
    await importObjects(copy, () => lines);
    assert.deepEqual(await collect(exportObjects(copy)), lines);
  });

  const latest = (await store.get(a)) as StoredVersion;
  const { body, hashes } = sample("a", { restored: true });
  const next = { body, hashes, version: latest.version + 1 };
  for (const at of [
    { tx_id: 2 ** 52 + 1, tx_time: latest.at.tx_time },
    { tx_id: 100, tx_time: "2201-01-01T00:00:00.000Z" },
    { tx_id: 100, tx_time: "1969-12-31T23:59:59.999Z" },
    { tx_id: 100, tx_time: new Date(base).toISOString() },
  ])
    await rejectsWith("HISTORY_CONFLICT", store.restore([{ ...next, at }]));
  const at = { tx_id: 2 ** 52, tx_time: new Date(ahead).toISOString() };
  assert.deepEqual(await store.restore([{ ...next, at }]), { added: 1 });
  const { versions } = await store.commit([{ object: sample("a", { after: true }) }]);
  const expected = { tx_id: 2 ** 52 + 1, tx_time: new Date(base + 9).toISOString() };
  assert.deepEqual(versions[0]?.at, expected);
};

export const contentHashFindsVersion: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    for (const [index, content] of ["x", "y", "x", "z", null].entries()) {
      await store.commit([{ object: sample("a", { index, content }) }]);
    }
    await store.commit([{ object: sample("b", { content: "elsewhere" }) }]);

    assert.equal((await store.get(a, { contentHash: sha256("x") }))?.version, 3);
    assert.equal((await store.get(a, { contentHash: sha256("y") }))?.version, 2);
    assert.equal((await store.get(a, { contentHash: sha256("z") }))?.version, 4);
    assert.equal((await store.get(a, { contentHash: sha256("") }))?.version, 5);
    assert.equal(await store.get(a, { contentHash: sha256("elsewhere") }), undefined);
    assert.equal(await store.get(a, { contentHash: "no hash at all" }), undefined);
  });

export const deletionKeepsHistory: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await store.commit([{ object: sample("a", { content: "alive", path: "/f" }) }]);
    await store.commit([
      { object: sample("a", { content: null, path: "/f", presence: "missing" }) },
    ]);

    assert.equal((await store.get(a))?.body.content, null);
    assert.equal((await store.get(a))?.version, 2);
    assert.equal((await store.get(a, { version: 1 }))?.body.content, "alive");
    assert.equal(
      (await store.find({ where: { path: "/f" } })).items[0]?.body["presence"],
      "missing",
    );
    await store.commit([{ object: sample("a", { content: "alive", path: "/f" }) }]);
    assert.deepEqual(
      (await store.history(a)).map(({ version }) => version),
      [1, 2, 3],
    );
    assert.equal((await store.get(a, { version: 2 }))?.body.content, null);
    assert.equal((await store.get(a))?.body.content, "alive");
  });

export const hashesAreTrue: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    const bodies = [
      { content: "plain" },
      { content: null, presence: "unread" },
      {
        content: "text\r\n",
        short_summary: "short",
        aside: "beside",
        content_fields: ["aside"],
        view: ["aside"],
      },
      {
        content: "x".repeat(5000),
        turns: [{ user: "u".repeat(3000), steps: [1.5, -1, 1e300, true, null] }],
      },
      { content: "", args: { "": "", " ": [[]], deep: { deeper: {} } }, to: [dynamic("t")] },
    ];
    for (const fields of bodies)
      await store.commit([{ object: sample("a", fields) }, { object: sample("b", fields) }]);

    const versions = await allVersions(store);

    assert.equal(versions.length, bodies.length * 2);
    for (const { body, hashes, version } of versions) {
      assert.deepEqual(
        { ...hashes },
        hashObject(body),
        `hashes of version ${version} of ${body.id}`,
      );
    }
    for (const stored of await store.history(a)) {
      assert.deepEqual(
        { ...stored.hashes },
        { ...versions.find((one) => one.body.id === a && one.version === stored.version)?.hashes },
      );
    }
  });

export const textSurvives: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    const texts = [
      "",
      "\u0000",
      "before\u0000after",
      "\ufeffmark",
      "a\r\nb\rc\n",
      "\u{1f600}\u0301\u200d\ufffd\uffff\ue000",
      "~",
      "~#1",
      "~~",
      "'\"\\`;--",
      "\u0000".repeat(4000),
      "\ufeff".repeat(4000),
      "\u{10ffff}".repeat(4000),
      "line\n".repeat(400_000),
    ];
    for (const [index, text] of texts.entries()) {
      const name = `n\u0000${text.slice(0, 40)}`;
      const fields = {
        content: text,
        path: text,
        turns: [{ user: text, [name]: text }],
        inner: { [name]: dynamic("t") },
      };
      await store.commit([
        { object: sample("a", { ...fields, index }) },
        { object: sample(`b${index}`, fields) },
      ]);
    }
    for (const [index, text] of texts.entries()) {
      for (const stored of [
        await store.get(a, { version: index + 1 }),
        await store.get(objectId(`b${index}`)),
      ]) {
        assert.ok(stored?.body.content === text, `text ${index} as content`);
        assert.ok(stored.body["path"] === text, `text ${index} as field`);
        assert.deepEqual(stored.body["turns"], [
          { user: text, [`n\u0000${text.slice(0, 40)}`]: text },
        ]);
      }
      const { items } = await store.find({ where: { path: text } });
      assert.ok(
        items.some(({ body }) => body.id === `b${index}`),
        `text ${index} is found`,
      );
    }
    const paths = (await store.referrers(objectId("t"), { limit: 1000 })).items.map(
      ({ path }) => path,
    );
    const first = `/inner/n\u0000${(texts[1] ?? "").slice(0, 40)}`;
    assert.ok(paths.includes(first), "a path with a null character");
  });
