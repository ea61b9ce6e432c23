import {
  defined,
  exportHeader,
  exportObjects,
  type HistoryOptions,
  ImportError,
  importObjects,
  type JsonObject,
  type JsonValue,
  objectId,
  type ObjectStore,
  sealObject,
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
  sampleBody,
} from "../samples.ts";
import type { CreatePlace, Scenario } from "../store-place.ts";

const a = objectId("a");

export const exportRoundTrips: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await fill(store);
    const lines = await collect(exportObjects(store));

    await inStore(createPlace, async (copy) => {
      const report = await importObjects(copy, () => lines);

      assert.equal(report.added, lines.length - 1);
      const again = await collect(exportObjects(copy));
      assert.equal(again.length, lines.length);
      for (const [index, line] of again.entries())
        assert.equal(line, lines[index], `line ${index + 1}`);
      const wanted = (await allVersions(store)).map(fingerprint).sort();
      assert.deepEqual((await allVersions(copy)).map(fingerprint).sort(), wanted);
      assert.deepEqual(await copy.find({}), await store.find({}));
      assert.deepEqual(await copy.referrers(objectId("t1")), await store.referrers(objectId("t1")));
      assert.equal((await copy.lookup("second"))?.body.id, (await store.lookup("second"))?.body.id);

      assert.deepEqual(await moveInParts(createPlace, store, lines), lines);

      const greatest = Math.max(...(await allVersions(store)).map(({ at }) => at.tx_id));
      const { versions } = await copy.commit([{ object: sample("a", { after: true }) }]);
      assert.ok(
        (versions[0]?.at.tx_id ?? 0) > greatest,
        "a new transaction has a greater number than the restored ones",
      );
    });
  });

/** Imports the lines up to a transaction and then the export after it, and exports both together again. */
async function moveInParts(
  createPlace: CreatePlace,
  store: ObjectStore,
  lines: readonly string[],
): Promise<readonly string[]> {
  const since = 11;
  const later = await collect(exportObjects(store, { since }));
  const earlier = lines.slice(1, lines.length - later.length + 1);
  let again: readonly string[] = [];
  await inStore(createPlace, async (copy) => {
    await assert.rejects(
      importObjects(copy, () => later),
      (error) => error instanceof ImportError && error.code === "IMPORT_INCOMPLETE",
    );
    await importObjects(copy, () => [exportHeader(), ...earlier]);
    await importObjects(copy, () => later, { merge: true });
    again = await collect(exportObjects(copy));
  });
  return again;
}

async function fill(store: ObjectStore): Promise<void> {
  const turns: JsonValue[] = [];
  for (let round = 1; round <= 25; round += 1) {
    turns.push({
      user: `${round} ${"word ".repeat(round * 40)}`,
      cites: [dynamic(`t${round % 4}`)],
    });
    await store.commit([
      { object: sample("z", { round, turns: [...turns] }) },
      { object: sample("a", { content: round % 6 === 0 ? null : `text ${round}` }) },
    ]);
  }
  await store.commit([
    { object: sample("b", { nickname: "first" }) },
    { object: sample("c", { nickname: "second" }) },
  ]);
  await store.commit([
    { object: sample("b", { nickname: "second" }) },
    { object: sample("c", { nickname: "first" }) },
  ]);
}

export const importIsResumable: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await fill(store);
    const lines = await collect(exportObjects(store));
    const versions = await allVersions(store);

    await inStore(createPlace, async (copy) => {
      // A header without a number, so that the first lines are a complete file.
      await importObjects(copy, () => [exportHeader(), ...lines.slice(1, 20)]);
      const half = await copy.changesSince();
      const rest = await importObjects(copy, () => lines, { merge: true });
      const none = await importObjects(copy, () => lines);

      assert.equal(half.versions.length, 19);
      assert.equal(rest.added, lines.length - 20);
      assert.equal(none.added, 0);
      assert.equal((await copy.changesSince()).versions.length, versions.length);
      assert.equal((await copy.changesSince(half.position)).versions.length, lines.length - 20);

      const latest = (await store.get(a)) as StoredVersion;
      const otherwise = sealObject(sampleBody("a", { other: true }));
      const before = (await copy.changesSince()).position;
      const fresh: StoredVersion = { ...sealed("fresh"), version: 1, at: latest.at };
      for (const bad of [
        { ...latest, body: otherwise.body, hashes: otherwise.hashes },
        { ...latest, at: { ...latest.at, tx_id: latest.at.tx_id + 1 } },
        {
          ...latest,
          version: latest.version + 2,
          at: { ...latest.at, tx_id: latest.at.tx_id + 9 },
        },
        { ...latest, ...otherwise, version: latest.version + 1 },
        { ...fresh, body: sampleBody("gap"), version: 2 },
      ]) {
        await rejectsWith("HISTORY_CONFLICT", copy.restore([fresh, bad]));
      }
      assert.equal(await copy.get(fresh.body.id), undefined);
      assert.equal((await copy.changesSince()).position, before);
      await rejectsWith("NICKNAME_TAKEN", copy.restore([{ ...fresh, ...sealed("d", "first") }]));
      assert.deepEqual(await copy.restore([fresh, fresh]), { added: 1 });
    });
  });

export const gapsAreKept: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await fill(store);
    const versions = await allVersions(store);
    const kept = versions.filter(({ body, version }) => body.id !== "z" || !lost(version));
    const wanted = kept.filter(({ body }) => body.id === "z");
    const z = objectId("z");

    await inStore(createPlace, async (copy) => {
      await rejectsWith("HISTORY_CONFLICT", copy.restore(kept));
      for (let start = 0; start < kept.length; start += 11) {
        const part = kept.slice(start, start + 11);
        assert.deepEqual(await copy.restore(part, { gaps: true }), { added: part.length });
      }
      assert.deepEqual(await copy.restore(kept, { gaps: true }), { added: 0 });

      for (const stored of versions.filter(({ body }) => body.id === "z")) {
        const { version, at } = stored;
        const expected = lost(version) ? "undefined" : fingerprint(stored);
        assert.equal(fingerprint(await copy.get(z, { version })), expected, `version ${version}`);
        assert.equal(
          fingerprint(await copy.get(z, { txId: at.tx_id })),
          fingerprint(wanted.findLast((other) => other.at.tx_id <= at.tx_id)),
        );
        assert.equal(
          fingerprint(await copy.get(z, { txTime: at.tx_time })),
          fingerprint(wanted.findLast((other) => other.at.tx_time <= at.tx_time)),
        );
      }
      for (const range of [undefined, { from: 7 }, { from: 10, to: 14 }, { from: 3, to: 11 }]) {
        const { from, to } = { from: 1, to: Infinity, ...range };
        assert.deepEqual(
          (await collectVersions(copy.versions(z, range))).map(fingerprint),
          wanted.filter(({ version }) => version >= from && version <= to).map(fingerprint),
        );
      }
      const numbers = wanted.map(({ version }) => version);
      const history = async (options?: HistoryOptions): Promise<readonly number[]> =>
        (await copy.history(z, options)).map(({ version }) => version);
      assert.deepEqual(await history(), numbers);
      assert.deepEqual(await history({ limit: 3 }), [2, 3, 4]);
      assert.deepEqual(await history({ after: 5, limit: 4 }), [6, 8, 9, 15]);
      assert.deepEqual(await history({ after: 9, limit: 2 }), [15, 16]);
      assert.deepEqual(
        (await copy.changesSince()).versions.map(({ body, version }) => `${body.id} ${version}`),
        kept.map(({ body, version }) => `${body.id} ${version}`),
      );

      await inStore(createPlace, async (other) => {
        const lines = await collect(exportObjects(copy));
        const ofSeventh = lines.findIndex((line) => line.includes('"lost":true,"version":7}'));
        assert.match(lines[ofSeventh + 1] ?? "", /"version":8\}/u);
        const report = await importObjects(other, () => lines);
        assert.equal(report.added, kept.length);
        assert.deepEqual(
          report.lost.map(({ version }) => version),
          [1, 7, 10, 11, 12, 13, 14],
        );
        assert.deepEqual(await collect(exportObjects(other)), lines);
      });

      const missing = versions.filter(({ body, version }) => body.id === "z" && version === 7);
      await rejectsWith("HISTORY_CONFLICT", copy.restore(missing, { gaps: true }));
      const next = sample("z", { turns: ["after the gap"] });
      const result = await copy.commit([{ object: next, expect: 25 }]);
      assert.equal(result.versions[0]?.version, 26);
      assert.equal((await copy.get(z))?.hashes.object_hash, next.hashes.object_hash);
    });
  });

/** Whether `gaps-are-kept` leaves out a version. */
function lost(version: number): boolean {
  return version === 1 || version === 7 || (version > 9 && version < 15);
}

export const importIsWhole: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    // More versions than an import writes at once; a fault is in the last one.
    for (let round = 1; round <= 26; round += 1)
      await store.commit(
        Array.from({ length: 9 }, (_, index) => ({ object: sample(`${index}`, { round }) })),
      );
    await store.commit([{ object: sample("last", { nickname: "name" }) }]);
    const lines = await collect(exportObjects(store));

    await inStore(createPlace, async (copy) => {
      for (const [fault, bad] of Object.entries(badFiles(lines))) {
        await assert.rejects(
          importObjects(copy, () => bad),
          ImportError,
          fault,
        );
        assert.deepEqual((await copy.changesSince()).versions, [], fault);
      }
    });
    for (const [own, code] of [
      [sample("last", { other: true }), "HISTORY_CONFLICT"],
      [sample("other", { nickname: "name" }), "NICKNAME_TAKEN"],
      [sample("other", { nickname: "last" }), "NICKNAME_TAKEN"],
      [sample("name"), "NICKNAME_TAKEN"],
    ] as const) {
      await inStore(createPlace, async (copy) => {
        await copy.commit([{ object: own }]);

        await rejectsWith(
          code,
          importObjects(copy, () => lines, { merge: true }),
        );

        assert.equal((await copy.changesSince()).versions.length, 1);
      });
    }
    await inStore(createPlace, async (copy) => {
      const first = await allVersions(store);
      await copy.restore(first.slice(0, 1));

      const refused = importObjects(copy, () => lines, { nameOf: ({ id }) => `<${id}>` });
      await assert.rejects(refused, (error) => {
        assert.ok(error instanceof ImportError && error.code === "IMPORT_MERGES", String(error));
        assert.match(error.message, /adds 25 versions to 1 object .*: <0>\. /u);
        return true;
      });

      assert.equal((await copy.changesSince()).versions.length, 1);
      const merged = await importObjects(copy, () => lines, { merge: true });
      assert.equal(merged.added, first.length - 1);
      assert.equal((await importObjects(copy, () => lines)).added, 0);
      assert.deepEqual(await collect(exportObjects(copy)), lines);
    });
  });

/** Returns exports with one fault each, in the last line where that is possible. */
function badFiles(lines: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const last = lines.at(-1) ?? "";
  const before = lines.slice(0, -1);
  const changed = (fields: JsonObject): readonly string[] => [
    ...before,
    JSON.stringify({ ...(JSON.parse(last) as JsonObject), ...fields }),
  ];
  return {
    "a transaction near the greatest number": changed({ tx_id: Number.MAX_SAFE_INTEGER }),
    "an earlier transaction": changed({ tx_id: 1 }),
    "a time after the year 2200": changed({ tx_time: "9999-12-31T00:00:00.000Z" }),
    "a time after the year 9999": changed({ tx_time: "+275760-09-13T00:00:00.000Z" }),
    "a time before 1970": changed({ tx_time: "1969-12-31T23:59:59.999Z" }),
    "a gap": changed({ version: 2 }),
    "an unknown field": changed({ added: true }),
    "a changed text": [...before, last.replace('"content":""', '"content":"."')],
    "half a line": [...before, last.slice(0, 80)],
    "a missing line": before,
  };
}

function sealed(id: string, nickname?: string): Pick<StoredVersion, "body" | "hashes"> {
  const { body, hashes } = sample(id, defined({ nickname }));
  return { body, hashes };
}
