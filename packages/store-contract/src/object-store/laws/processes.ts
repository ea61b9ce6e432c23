import { hashObject, objectId, type ObjectStore } from "@self-context-manager/objects";
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

import { seededRandom, testScale } from "../../scale.ts";
import { startChild } from "../child-process.ts";
import { allVersions, sample } from "../samples.ts";
import { type Acknowledgement, countUp, written } from "../store-child.ts";
import type { Scenario } from "../store-place.ts";

const kills = testScale.isLong ? 200 : 5;

export const survivesKill: Scenario = async (createPlace) => {
  await using place = await createPlace();
  const random = seededRandom(testScale.seed);
  let acknowledged = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    await using child = startChild(place, { job: "write" });
    await child.printed(1 + Math.floor(random() * 8));
    await delay(random() * 12);
    child.kill();
    const lines = await child.ended();

    await using store = await place.open();
    const acknowledgements = lines.slice(1).map((line) => JSON.parse(line) as Acknowledgement);
    acknowledged += acknowledgements.length;
    for (const { version, object_hash } of acknowledgements) {
      const stored = await store.get(written.log, { version });
      assert.ok(
        stored,
        `kill ${kill}: version ${version} was acknowledged but is lost (seed ${testScale.seed})`,
      );
      assert.equal(stored.hashes.object_hash, object_hash);
      assert.equal(hashObject(stored.body).object_hash, object_hash);
    }
    await checkPair(store, kill);
  }

  assert.ok(acknowledged > 0, "the child never acknowledged a commit");
  await using store = await place.open();
  for (const { body, hashes, version } of await allVersions(store)) {
    assert.deepEqual({ ...hashes }, hashObject(body), `version ${version} of ${body.id}`);
  }
};

/**
 * Checks that the three objects have the same version. They are always committed together, so a difference is a torn
 * commit.
 */
async function checkPair(store: ObjectStore, round: number): Promise<void> {
  const latest = await store.getMany([written.log, written.left, written.right]);
  const versions = latest.map((stored) => stored?.version ?? 0);
  assert.equal(
    new Set(versions).size,
    1,
    `round ${round}: versions ${versions.join(", ")} (seed ${testScale.seed})`,
  );
  const counts = latest.slice(1).map((stored) => stored?.body["count"] ?? 0);
  assert.deepEqual(counts, [versions[1], versions[2]]);
}

const backups = testScale.isLong ? 50 : 3;

export const backupIsWhole: Scenario = async (createPlace) => {
  await using place = await createPlace();
  await using child = startChild(place, { job: "write" });
  for (let backup = 1; backup <= backups; backup += 1) {
    await child.printed(1 + 4 * backup);
    const acknowledgements = child.lines
      .slice(1)
      .map((line) => JSON.parse(line) as Acknowledgement);
    assert.ok(place.backup, "the law needs a place with `backup`");
    await using copy = await place.backup();
    await using store = await copy.open();
    for (const { version, object_hash } of acknowledgements) {
      const stored = await store.get(written.log, { version });
      assert.ok(stored, `backup ${backup} lacks version ${version}, which was acknowledged before`);
      assert.equal(stored.hashes.object_hash, object_hash);
    }
    await checkPair(store, backup);
  }
};

export const twoProcessesAgree: Scenario = async (createPlace) => {
  await using place = await createPlace();
  const times = testScale.isLong ? 400 : 20;
  await using store = await place.open();
  await using child = startChild(place, { job: "count", name: "child", times });
  await child.printed(1);

  await Promise.all([countUp(store, "here", times), child.ended()]);

  assert.equal((await store.get(objectId("counter")))?.body["count"], times * 2);
  for (const name of ["child", "here"]) {
    for (let time = 1; time <= times; time += 1) {
      const stored = await store.get(objectId(`${name}-${time}`));
      assert.ok(stored, `${name}-${time} is lost`);
      assert.deepEqual({ ...stored.hashes }, hashObject(stored.body));
    }
  }
  const transactions = (await store.history(objectId("counter"))).map(({ at }) => at.tx_id);
  assert.equal(new Set(transactions).size, times * 2);

  await using waiting = startChild(place, { job: "answer" });
  await waiting.printed(1);
  await store.commit([{ object: sample("question", { content: "are you there" }) }]);
  await waiting.ended();
  assert.equal((await store.get(objectId("answer")))?.body.content, "are you there");
};
