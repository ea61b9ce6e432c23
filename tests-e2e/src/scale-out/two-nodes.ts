import { type ContextManager, openContextManager } from "@self-context-manager/compose";
import { type ContextSession, type ObjectStore, StoreError } from "@self-context-manager/core";
import { exportObjects, objectId, sealObject } from "@self-context-manager/objects";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { median, rounded } from "../measured.ts";

/** A node that was started for a run. */
export interface RunningNode {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a node of the shared database by its name. A killed node starts again with its URL and its token. */
export type StartNode = (name: string) => Promise<RunningNode>;

const rounds = 40;
const increments = 40;

/**
 * Runs the sessions of two agents on two nodes of one database. Checks that each sees the other's writes. Then one
 * node is killed and started again. Throws if a version is lost, duplicated or different.
 */
export async function runTwoNodes(
  folder: string,
  start: StartNode,
): Promise<Readonly<Record<string, unknown>>> {
  const workspace = join(folder, "work");
  await mkdir(workspace);
  const first = await start("first");
  let second = await start("second");
  try {
    await using one = await managerOn(first, workspace);
    await using two = await managerOn(second, workspace);
    const sessions = {
      one: await one.openSession({ harness: "pi", sessionId: "one" }),
      two: await two.openSession({ harness: "pi", sessionId: "two" }),
    };
    const shared = await shareFile(workspace, [one, sessions.one], [two, sessions.two]);
    const counted = await countFromBoth(one.store, two.store);

    process.kill(second.pid, "SIGKILL");
    await assert.rejects(two.store.find({}), (error) => StoreError.is(error));
    const written = await writeAlone(one.store, 200);
    await writeFile(join(workspace, "late.txt"), "written while the other node was away\n");
    await sessions.one.read({ path: "late.txt" });
    const restarted = performance.now();
    second = await start("second");
    const start2 = performance.now() - restarted;
    // The client of the killed node is unchanged. It finds its node again.
    const late = await sessions.two.read({ path: "late.txt" });
    assert.match(late.text, /late\.txt: unchanged since version 1/u);
    await seenBy(two.store, written.id, written.version);
    const { items } = await two.store.find({ where: { path: join(workspace, "late.txt") } });
    assert.equal(items.length, 1, "the file that both sessions read is one object");

    const exports = await Promise.all([exportHash(one.store), exportHash(two.store)]);
    assert.equal(exports[0].sha256, exports[1].sha256, "both nodes export the same history");
    const third = performance.now();
    const joined = await start("third");
    const joinedAfter = performance.now() - third;
    await joined.stop();
    return {
      sharedFile: shared,
      compareAndSet: counted,
      killedNode: {
        versionsWrittenMeanwhile: written.count,
        secondsFromStartToCaughtUp: rounded(start2 / 1_000),
      },
      thirdNodeWithoutIndex: { secondsFromStartToCaughtUp: rounded(joinedAfter / 1_000) },
      versions: exports[0].versions,
      sha256OfTheExportFromEither: exports[0].sha256,
    };
  } finally {
    await first.stop();
    await second.stop();
  }
}

async function managerOn({ url, token }: RunningNode, workspace: string): Promise<ContextManager> {
  const xtdb = { token, timeout: 30_000 };
  return await openContextManager({ store: "xtdb", at: url, xtdb, workspace, watch: false });
}

/** Changes a file repeatedly. One session reads it, then the other. They take turns in reading a change first. */
async function shareFile(
  workspace: string,
  ...pairs: readonly [
    readonly [ContextManager, ContextSession],
    readonly [ContextManager, ContextSession],
  ]
): Promise<Readonly<Record<string, unknown>>> {
  const path = join(workspace, "shared.txt");
  const own: number[] = [];
  const across: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [[writer, writing], [reader, reading]] = round % 2 === 0 ? pairs : [pairs[1], pairs[0]];
    await writeFile(path, `state ${round}\n`);
    const before = performance.now();
    await writing.read({ path: "shared.txt" });
    const { items } = await writer.store.find({ where: { path } });
    own.push(performance.now() - before);
    const [object] = items;
    assert.ok(object !== undefined && items.length === 1, "the file is one object");
    assert.equal(object.version, round + 1, "a session sees its own write");
    const seen = performance.now();
    await seenBy(reader.store, object.body.id, object.version);
    across.push(performance.now() - seen);
    await reading.read({ path: "shared.txt" });
    const latest = await reader.store.get(object.body.id);
    assert.equal(latest?.body.content, `state ${round}\n`);
    assert.equal(latest.version, round + 1, "equal content makes no version");
  }
  return {
    rounds,
    readAndFoundOnItsNodeMs: rounded(median(own)),
    thenSeenOnTheOtherNodeMs: {
      median: rounded(median(across)),
      most: rounded(Math.max(...across)),
    },
  };
}

async function seenBy(store: ObjectStore, id: string, version: number): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (((await store.describe([objectId(id)]))[0]?.version ?? 0) < version) {
    if (performance.now() > deadline) throw new Error(`version ${version} of ${id} did not arrive`);
    await delay(2);
  }
}

/**
 * Increments one object from both stores. Each commit expects the version that was read, and is repeated after a
 * conflict.
 */
async function countFromBoth(
  one: ObjectStore,
  two: ObjectStore,
): Promise<Readonly<Record<string, unknown>>> {
  const id = objectId("counter");
  const start = performance.now();
  let lost = 0;
  const count = async (store: ObjectStore): Promise<void> => {
    for (let done = 0; done < increments;) {
      const latest = await store.get(id);
      const { version = 0, body } = latest ?? {};
      const object = note("counter", String(Number(body?.content ?? 0) + 1));
      try {
        await store.commit([{ object, expect: version }]);
        done += 1;
      } catch (error) {
        if (!StoreError.is(error) || error.code !== "VERSION_CONFLICT") throw error;
        lost += 1;
      }
    }
  };
  await Promise.all([count(one), count(two)]);
  const seconds = (performance.now() - start) / 1_000;
  await seenBy(one, id, increments * 2);
  const counter = await one.get(id);
  assert.equal(counter?.body.content, String(increments * 2), "each increment was counted once");
  return {
    counted: increments * 2,
    tookAnotherTry: lost,
    perSecond: rounded((increments * 2) / seconds),
  };
}

async function writeAlone(
  store: ObjectStore,
  count: number,
): Promise<{ readonly id: string; readonly version: number; readonly count: number }> {
  let version = 0;
  for (let number = 0; number < count; number += 1) {
    const { versions } = await store.commit([{ object: note("alone", `line ${number}`) }]);
    version = versions[0]?.version ?? 0;
  }
  assert.equal(version, count);
  return { id: "alone", version, count };
}

function note(id: string, content: string): ReturnType<typeof sealObject> {
  return sealObject({
    id: objectId(id),
    type: "note",
    content,
    locked: false,
    provenance: { origin: "two nodes", generator: "tool" },
  });
}

async function exportHash(
  store: ObjectStore,
): Promise<{ readonly sha256: string; readonly versions: number }> {
  const hash = createHash("sha256");
  let lines = 0;
  for await (const line of exportObjects(store)) {
    hash.update(line);
    lines += 1;
  }
  return { sha256: hash.digest("hex"), versions: lines - 1 };
}
