import { fileBody, type FileSource, sealObject, sha256 } from "@self-context-manager/objects";
import type { FileChange } from "@self-context-manager/tracker";
import assert from "node:assert/strict";
import { appendFile, chmod, mkdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isMainThread } from "node:worker_threads";

import { asMetadata, pastTick, type TrackerScenario, tracking } from "./observed-tracker.ts";

export const changeMakesAVersion: TrackerScenario = tracking(
  async ({ write, know, untilContent, untilReported, store, changes }) => {
    await write("a.txt", "one\n");
    const [id] = await know("a.txt");
    assert.deepEqual(changes, []);

    await write("a.txt", "two\n");

    const stored = await untilContent(id, "two\n");
    const reported = await untilReported((change) => change.id === id, "the change");
    assert.equal(stored.version, 2);
    assert.equal(stored.hashes.content_hash, sha256("two\n"));
    assert.equal(stored.body.provenance.generator, "human");
    assert.equal(reported.type, "changed");
    assert.deepEqual(reported.stored, stored);
    assert.equal("previous" in reported && reported.previous.version, 1);
    assert.equal((await store.history(stored.body.id)).length, 2);
  },
);

export const lastContentIsStored: TrackerScenario = tracking(
  async ({ at, write, know, untilContent, untilQuiet, latest }) => {
    await write("a.txt", "0");
    const [id] = await know("a.txt");

    for (let round = 1; round <= 10; round += 1) {
      await writeFile(at("a.txt"), `${round} first`);
      await writeFile(at("a.txt"), `${round} second`);
      if (round % 2 === 0) await untilContent(id, `${round} second`);
    }
    await untilContent(id, "10 second");
    await untilQuiet();

    assert.ok(id);
    assert.equal((await latest(id)).body.content, "10 second");
  },
);

export const editAfterReadIsStored: TrackerScenario = tracking(
  async ({ tracker, write, index, untilContent }) => {
    for (let round = 0; round < 5; round += 1) {
      await write(`${round}.txt`, "one");
      const stored = await index(`${round}.txt`);
      // The same size, immediately after the read.
      await write(`${round}.txt`, "two");
      const tracked = tracker.track(stored.map(asMetadata));
      if (round % 2 === 0) await tracked;
      await untilContent(stored[0]?.body.id, "two");
      await write(`${round}.txt`, "new");
      await untilContent(stored[0]?.body.id, "new");
      await tracked;
    }
  },
);

export const bytesAreCompared: TrackerScenario = tracking(
  async ({ at, know, untilQuiet, untilReported, latest }) => {
    await writeFile(at("a.bin"), Uint8Array.from([0, 1, 2, 3]));
    const [id] = await know("a.bin");
    assert.ok(id);

    await utimes(at("a.bin"), 1_000_000_000, 1_000_000_000);
    await untilQuiet();
    assert.equal((await latest(id)).version, 1);

    await writeFile(at("a.bin"), Uint8Array.from([0, 1, 2, 4]));
    await untilReported((change) => change.id === id, "the change of bytes");

    const { body, version } = await latest(id);
    assert.equal(version, 2);
    assert.deepEqual([body.content, body["size"]], [null, 4]);
  },
);

export const untouchedMakesNoVersion: TrackerScenario = tracking(
  async ({ at, write, know, untilQuiet, latest, changes }) => {
    await write("a.txt", "one");
    const [id] = await know("a.txt");

    await utimes(at("a.txt"), 1_000_000_000, 1_000_000_000);
    await writeFile(at("a.txt"), "one");
    await write("b.tmp", "one");
    await rename(at("b.tmp"), at("a.txt"));
    await untilQuiet();

    assert.ok(id);
    assert.equal((await latest(id)).version, 1);
    assert.deepEqual(
      changes.filter((change) => change.id === id),
      [],
    );
  },
);

export const largeGrowthIsNotRead: TrackerScenario = tracking(
  async ({ at, write, know, until, untilReported, store }) => {
    const text = "a line of a log\n".repeat(100_000);
    await write("a.log", text);
    const [id] = await know("a.log");

    await appendFile(at("a.log"), "more\n");

    const grown = await until(id, ({ version }) => version === 2, "the new size");
    assert.deepEqual(
      [grown.body["presence"], grown.body["size"], grown.body.content],
      ["unread", text.length + 5, null],
    );
    const reported = await untilReported((change) => change.id === id, "the growth");
    assert.equal(reported.type, "changed");
    assert.equal((await store.get(grown.body.id, { version: 1 }))?.body.content, text);
  },
);

export const atomicSaveIsAChange: TrackerScenario = tracking(
  async ({ at, write, know, tracker, untilContent, untilQuiet, changes, store }) => {
    await write("a.txt", "one");
    const [id] = await know("a.txt");

    await write(".a.txt.swp", "two");
    await rename(at(".a.txt.swp"), at("a.txt"));
    await untilContent(id, "two");
    await rename(at("a.txt"), at("a.txt~"));
    await write("a.txt", "three");
    await untilContent(id, "three");
    await rename(at("a.txt"), at("a.txt~"));
    await write("a.txt", "four");
    await rm(at("a.txt~"));
    await untilContent(id, "four");
    // A save that began before the last check of the file.
    await write("a.txt.tmp", "");
    await pastTick();
    await tracker.check();
    await writeFile(at("a.txt.tmp"), "five");
    await rename(at("a.txt.tmp"), at("a.txt"));
    await untilContent(id, "five");
    await untilQuiet();

    const kinds = changes.filter((change) => change.id === id).map(({ type }) => type);
    assert.deepEqual([...new Set(kinds)], ["changed"]);
    assert.equal((await store.find({ where: { path: at("a.txt") } })).items.length, 1);
  },
);

export const unreadableKeepsTheLast: TrackerScenario = tracking(
  async ({ at, write, know, latest, untilReported, untilContent, files }) => {
    await write("a.txt", "one");
    await write("b.txt", "one");
    const [a, b] = await know("a.txt", "b.txt");
    assert.ok(a);
    // If the user may read everything, a file source that may not read replaces another user.
    await chmod(dirname(at()), 0o755);
    const isNobody = isMainThread && process.getuid?.() === 0 && process.seteuid !== undefined;
    await chmod(at("a.txt"), 0o000);
    if (isNobody) process.seteuid?.(65_534);
    try {
      const isRefused = await files.read(at("a.txt")).then(
        () => false,
        () => true,
      );
      if (!isRefused) return;
      const reported = await untilReported((change) => change.id === a, "that it is unreadable");
      assert.equal(reported.type, "unreadable");
      assert.equal((await latest(a)).body.content, "one");
      assert.equal((await latest(a)).version, 1);
    } finally {
      if (isNobody) process.seteuid?.(0);
    }

    await chmod(at("a.txt"), 0o644);
    await untilReported(({ id, type }) => id === a && type === "readable", "that it is readable");
    await write("a.txt", "two");
    await write("b.txt", "two");
    await untilContent(a, "two");
    await untilContent(b, "two");
  },
);

export const ownWritesAreNotForeign: TrackerScenario = tracking(
  async ({ at, tracker, write, know, latest, untilQuiet, changes, store, files }) => {
    await write("a.txt", "one");
    const [id] = await know("a.txt");
    assert.ok(id);

    {
      await using _hold = await tracker.hold(at("a.txt"));
      await write("a.txt", "two, by the agent's tool");
      await untilQuiet();
      assert.equal((await latest(id)).version, 1);
      const body = fileBody(id, await files.read(at("a.txt")), "agent", (await latest(id)).body);
      await store.commit([{ object: sealObject(body), expect: 1 }]);
      await tracker.track([asMetadata(await latest(id))]);
    }
    await untilQuiet();

    const stored = await latest(id);
    assert.equal(stored.version, 2);
    assert.equal(stored.body.provenance.generator, "agent");
    assert.deepEqual(
      changes.filter((change) => change.id === id),
      [],
    );
  },
);

export const othersVersionsAreReported: TrackerScenario = tracking(
  async ({
    at,
    write,
    index,
    latest,
    files,
    tracker,
    changes,
    openAnother,
    untilContent,
    untilQuiet,
    store,
    untilReported,
  }) => {
    await write("a.txt", "one");
    const stored = (await index("a.txt")).map(asMetadata);
    const id = stored[0]?.body.id;
    const other = await openAnother();
    await tracker.track(stored);
    await other.tracker.track(stored);
    await tracker.ready();
    await other.tracker.ready();

    for (let round = 2; round <= 6; round += 1) {
      await write("a.txt", `round ${round}`);
      await untilContent(id, `round ${round}`);
    }
    await untilReported((change) => change.stored.version === 6, "the last version");
    await untilQuiet();
    await other.tracker.check();

    assert.ok(id);
    assert.equal((await store.history(id)).length, 6);
    for (const reported of [changes, other.changes])
      assert.equal(reported.findLast((change) => change.id === id)?.stored.version, 6);

    // Two sessions share a tracker. A version that one of them stores is reported to the other.
    const heard: FileChange[] = [];
    tracker.onChange((reported) => heard.push(...reported));
    await using _hold = await tracker.hold(at("a.txt"));
    await write("a.txt", "by the agent");
    const body = fileBody(id, await files.read(at("a.txt")), "agent", (await latest(id)).body);
    await store.commit([{ object: sealObject(body), expect: 6 }]);
    const own = await latest(id);
    await tracker.track([asMetadata(own)]);
    assert.deepEqual(
      heard.map(({ type, stored }) => ({ type, stored })),
      [{ type: "changed", stored: own }],
    );
    assert.equal(changes.findLast((change) => change.id === id)?.stored.version, 6);
  },
);

export const lateReadsAreNotStored: TrackerScenario = tracking(
  async ({ at, write, index, know, latest, tracker, openAnother, untilContent, files, store }) => {
    const slow = slowFiles(files);
    const other = await openAnother(slow.files);
    for (const name of ["unheard.txt", "heard.txt"]) {
      await write(name, "one");
      const stored = (await index(name)).map(asMetadata);
      const id = stored[0]?.body.id;
      assert.ok(id);
      await tracker.track(stored);
      await other.tracker.track(stored);
      await tracker.ready();
      await other.tracker.ready();

      const late = slow.holdNext();
      await write(name, "two");
      await untilContent(id, "two");
      await late.isRead;
      await write(name, "three");
      await untilContent(id, "three");
      // During the read, the session can learn of the later version.
      const heard = name === "heard.txt" ? [asMetadata(await latest(id))] : [];
      const tracked = other.tracker.track(heard);
      late.release();
      await tracked;
      await other.tracker.check();
      await tracker.check();

      const history = await store.history(id);
      const contents = await Promise.all(
        history.map(async ({ version }) => (await store.get(id, { version }))?.body.content),
      );
      assert.equal(contents.length, 3);
      assert.deepEqual(new Set(contents), new Set(["one", "two", "three"]));
      assert.equal((await latest(id)).body.content, "three");
    }

    // A session itself can store such a late read.
    await write("own.txt", "one");
    const [id] = await know("own.txt");
    assert.ok(id);
    const late = await files.read(at("own.txt"));
    await write("own.txt", "two");
    const before = await untilContent(id, "two");
    await pastTick();
    await tracker.check();
    const body = fileBody(id, late, "human", before.body);
    await store.commit([{ object: sealObject(body), expect: before.version }]);
    await tracker.track([asMetadata(await latest(id))]);
    assert.equal((await latest(id)).body.content, "two");
  },
);

/** Returns a file source that can hold back one answer after it has read the file. */
function slowFiles(files: FileSource): {
  readonly files: FileSource;
  holdNext(): { readonly isRead: Promise<void>; release(): void };
} {
  let next: { readonly read: () => void; readonly released: Promise<void> } | undefined;
  return {
    files: {
      ...files,
      read: async (path) => {
        const held = next;
        next = undefined;
        const content = await files.read(path);
        held?.read();
        await held?.released;
        return content;
      },
    },
    holdNext() {
      const isRead = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      next = { read: isRead.resolve, released: released.promise };
      return { isRead: isRead.promise, release: released.resolve };
    },
  };
}

export const unnamedIsNotRead: TrackerScenario = tracking(
  async ({ at, write, know, latest, untilReported, untilGone, untilAt }) => {
    const outside = join(at(".."), "outside");
    await mkdir(outside);
    await writeFile(join(outside, "a.txt"), "one");
    await write(".env", "SECRET=1");
    await write("b.txt", "some text");
    const ids = await know("../outside/a.txt", ".env", "b.txt");

    await writeFile(join(outside, "a.txt"), "two");
    await write(".env", "SECRET=2");
    for (const id of ids.slice(0, 2)) {
      const reported = await untilReported((change) => change.id === id, "that it is outdated");
      assert.equal(reported.type, "outdated");
      assert.equal((await latest(id)).version, 1);
    }
    // The path of such a file can be tracked without reading the file.
    await rename(at("b.txt"), at("secret.key"));
    assert.equal((await untilAt(ids[2], at("secret.key"))).body.content, "some text");
    await rm(at(".env"));
    await untilGone(ids[1]);
    await write(".env", "SECRET=3");
    const reported = await untilReported(
      ({ id, type }) => id === ids[1] && type === "returned",
      "its return",
    );
    assert.equal("content" in reported.stored.body && reported.stored.body.content, null);
    assert.equal(reported.stored.body["presence"], "unread");
  },
);
