import type { ObjectId, StoredVersion } from "@self-context-manager/objects";
import assert from "node:assert/strict";
import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";

import { asMetadata, pastTick, type TrackerScenario, tracking } from "./observed-tracker.ts";

export const moveKeepsTheObject: TrackerScenario = tracking(
  async ({ at, write, know, untilAt, untilContent, untilReported, changes, store, until }) => {
    await write("a.txt", "a text");
    await write("copied.txt", "a text that is copied");
    await write("top/x/deep.txt", "a deep text");
    await mkdir(at("other/folder"), { recursive: true });
    const [a, copied, deep] = await know("a.txt", "copied.txt", "top/x/deep.txt");
    const hash = (await untilAt(a, at("a.txt"))).hashes.content_hash;

    await rename(at("a.txt"), at("b.txt"));
    const renamed = await untilAt(a, at("b.txt"));
    assert.equal(renamed.version, 2);
    assert.equal(renamed.hashes.content_hash, hash);
    assert.equal(renamed.body.provenance.origin, at("b.txt"));
    const reported = await untilReported((change) => change.id === a, "the move");
    assert.equal(reported.type, "moved");
    assert.equal("previous" in reported && reported.previous.body["path"], at("a.txt"));

    await rename(at("b.txt"), at("other/folder/c.md"));
    assert.equal((await untilAt(a, at("other/folder/c.md"))).body["file_type"], "markdown");
    await write("other/folder/c.md", "changed there");
    await untilContent(a, "changed there");

    await copyFile(at("copied.txt"), at("other/copied.txt"));
    await rm(at("copied.txt"));
    await untilAt(copied, at("other/copied.txt"));

    await rename(at("top"), at("other/top"));
    await untilAt(deep, at("other/top/x/deep.txt"));
    await write("other/top/x/deep.txt", "changed in the moved folder");
    await untilContent(deep, "changed in the moved folder");

    await rename(at("other/folder/c.md"), at("d.md"));
    await writeFile(at("d.md"), "moved and changed");
    await until(
      a,
      ({ body }) => body["path"] === at("d.md") && body.content === "moved and changed",
      "moved and changed",
    );
    await rename(at("d.md"), at("D.md"));
    await untilAt(a, at("D.md"));
    assert.equal(
      changes.some(({ type }) => type === "vanished" || type === "appeared"),
      false,
    );
    assert.equal((await store.find({ where: { type: "file" } })).items.length, 3);
  },
);

export const swapKeepsBoth: TrackerScenario = tracking(
  async ({ at, write, know, untilAt, untilGone, latest, store }) => {
    await write("a.txt", "text a");
    await write("b.txt", "text b");
    const [a, b] = await know("a.txt", "b.txt");

    await rename(at("a.txt"), at("swap"));
    await rename(at("b.txt"), at("a.txt"));
    await rename(at("swap"), at("b.txt"));
    await untilAt(a, at("b.txt"));
    await untilAt(b, at("a.txt"));
    assert.deepEqual(await contents(a, b), ["text a", "text b"]);

    await rename(at("b.txt"), at("a.txt"));
    await untilGone(b);
    await untilAt(a, at("a.txt"));
    assert.deepEqual(await contents(a, b), ["text a", null]);
    assert.equal((await store.find({ where: { type: "file" } })).items.length, 2);

    async function contents(...ids: readonly (ObjectId | undefined)[]): Promise<unknown> {
      return await Promise.all(ids.map(async (id) => id && (await latest(id)).body.content));
    }
  },
);

export const deletionKeepsHistory: TrackerScenario = tracking(
  async ({ at, write, know, untilGone, untilReported, store }) => {
    await write("a.txt", "one");
    await write("folder/b.txt", "one");
    const [a, b] = await know("a.txt", "folder/b.txt");
    assert.ok(a);

    await rm(at("a.txt"));
    await rm(at("folder"), { recursive: true });

    const gone = await untilGone(a);
    await untilGone(b);
    const reported = await untilReported((change) => change.id === a, "the deletion");
    assert.equal(reported.type, "vanished");
    assert.equal(gone.version, 2);
    assert.equal(gone.body["presence"], "missing");
    assert.equal(gone.body.provenance.origin, at("a.txt"));
    assert.equal((await store.get(a, { version: 1 }))?.body.content, "one");
  },
);

export const recreationIsTheSameObject: TrackerScenario = tracking(
  async ({ at, write, know, tracker, untilGone, untilContent, untilReported, store, changes }) => {
    await write("a.txt", "one");
    await write("folder/b.txt", "one");
    const [a, b] = await know("a.txt", "folder/b.txt");

    for (const content of ["two", "three"]) {
      await rm(at("a.txt"));
      await rm(at("folder"), { recursive: true });
      await untilGone(a);
      await untilGone(b);
      await write("a.txt", content);
      await write("folder/b.txt", content);
      assert.equal((await untilContent(a, content)).body["path"], at("a.txt"));
      await untilContent(b, content);
    }
    await untilReported(({ id, type }) => id === a && type === "returned", "its return");
    // The file is removed and written again at once, so that nobody sees its absence.
    await rm(at("a.txt"));
    await write("a.txt", "four");
    await untilContent(a, "four");
    // The same file returns from a place that no search covers.
    await pastTick();
    await tracker.check();
    for (const away of [at("a.txt.tmp"), at("..", "away.txt")]) {
      await rename(at("a.txt"), away);
      await untilGone(a);
      await rename(away, at("a.txt"));
      await untilContent(a, "four");
    }
    assert.equal(
      changes.some(({ type }) => type === "appeared"),
      false,
    );
    assert.equal((await store.find({ where: { type: "file" } })).items.length, 2);
  },
);

export const unrelatedFileIsAnother: TrackerScenario = tracking(
  async ({ at, write, know, index, tracker, untilGone, untilReported, latest, store }) => {
    await write("a.txt", "text a");
    await write("b.txt", "text b");
    await write("stranger-1.txt", "another text");
    await write("stranger-2.txt", "a third text");
    await pastTick();
    const [a, b] = await know("a.txt", "b.txt");
    assert.ok(a);

    await rename(at("stranger-1.txt"), at("a.txt"));
    await untilGone(a);
    const appeared = await untilReported(({ type }) => type === "appeared", "the stranger");
    assert.notEqual(appeared.id, a);
    assert.equal(appeared.stored.body["path"], at("a.txt"));
    assert.equal(appeared.stored.body["presence"], "unread");

    await rm(at("b.txt"));
    await untilGone(b);
    await rename(at("stranger-2.txt"), at("b.txt"));
    const second = await untilReported(
      ({ type, stored }) => type === "appeared" && stored.body["path"] === at("b.txt"),
      "the second stranger",
    );
    assert.notEqual(second.id, b);

    // The model reads a file before the watcher has seen it arrive.
    await write("c.txt", "text c");
    await rename(at("c.txt"), at("d.txt"));
    const [early] = await index("d.txt");
    assert.ok(early);
    await tracker.track([asMetadata(early)]);
    await rename(at("d.txt"), at("e.txt"));
    assert.equal(await tracker.adopt(at("e.txt")), early.body.id);
    assert.equal((await latest(early.body.id)).body["path"], at("e.txt"));
    assert.equal(await tracker.adopt(at("a.txt")), appeared.id);
    const { items } = await store.find({ where: { path: at("e.txt") } });
    assert.equal(items.length, 1);
  },
);

export const startCatchesUp: TrackerScenario = tracking(
  async ({ at, write, index, tracker, changes, store, latest }) => {
    const names = ["same", "touched", "changed", "moved", "gone", "copy-1", "copy-2", "back"];
    for (const name of names) await write(`${name}.txt`, `text of ${name}`);
    // Two files with the same content: if one of them is elsewhere later, the content does not show which one.
    await write("copy-2.txt", "text of copy-1");
    await mkdir(at("folder"));
    const stored = (await index(...names.map((name) => `${name}.txt`))).map(asMetadata);
    const ids = new Map(names.map((name, index) => [name, stored[index]?.body.id]));

    await writeFile(at("touched.txt"), "text of touched");
    await write("changed.txt", "changed");
    await rename(at("moved.txt"), at("folder/moved elsewhere.txt"));
    await rm(at("gone.txt"));
    await copyFile(at("copy-1.txt"), at("folder/copy.txt"));
    await rm(at("copy-1.txt"));
    await rm(at("copy-2.txt"));
    await tracker.track(stored);

    const reported = new Map(changes.map((change) => [change.id, change]));
    const kinds = names.map((name) => reported.get(ids.get(name) as never)?.type);
    assert.deepEqual(kinds, [
      undefined,
      undefined,
      "changed",
      "moved",
      "vanished",
      "vanished",
      "vanished",
      undefined,
    ]);
    const moved = ids.get("moved");
    assert.ok(moved);
    assert.equal((await latest(moved)).body["path"], at("folder/moved elsewhere.txt"));
    const versions = await store.changesSince();
    await tracker.check();
    assert.deepEqual(await store.changesSince(versions.position), {
      versions: [],
      position: versions.position,
    });
  },
);

export const startKeepsIdentity: TrackerScenario = tracking(
  async ({ at, write, index, tracker, latest, untilQuiet, store }) => {
    const names = ["one", "other", "over", "under", "saved", "same-1", "same-2"];
    for (const name of names) await write(`${name}.txt`, `text of ${name}`);
    for (const name of ["same-1", "same-2"]) await write(`${name}.txt`, "the same text");
    await write("stranger.txt", "a stranger's text");
    await pastTick();
    await write("replaced.txt", "text of a replaced file");
    const stored = await index(...[...names, "replaced"].map((name) => `${name}.txt`));
    const [one, other, over, under, saved, same1, same2, replaced] = stored.map(
      ({ body }) => body.id,
    );
    await pastTick();

    await exchange(at("one.txt"), at("other.txt"), at("exchanged"));
    await exchange(at("same-1.txt"), at("same-2.txt"), at("exchanged"));
    await rename(at("over.txt"), at("under.txt"));
    await write("saved.txt.tmp", "a new text");
    await rename(at("saved.txt.tmp"), at("saved.txt"));
    await rename(at("stranger.txt"), at("replaced.txt"));
    await tracker.track(stored.map(asMetadata));
    await untilQuiet();

    assert.deepEqual(await state(one), [at("other.txt"), "text of one"]);
    assert.deepEqual(await state(other), [at("one.txt"), "text of other"]);
    assert.deepEqual(await state(same1), [at("same-2.txt"), "the same text"]);
    assert.deepEqual(await state(same2), [at("same-1.txt"), "the same text"]);
    assert.deepEqual(await state(over), [at("under.txt"), "text of over"]);
    assert.deepEqual(await state(under), [null, null]);
    assert.deepEqual(await state(saved), [at("saved.txt"), "a new text"]);
    assert.deepEqual(await state(replaced), [null, null]);
    const { items } = await store.find({ where: { path: at("replaced.txt") } });
    assert.deepEqual(
      items.map(({ body }) => body["presence"]),
      ["unread"],
    );

    async function state(id: ObjectId | undefined): Promise<unknown> {
      assert.ok(id);
      const { body } = await latest(id);
      return [body["path"], body.content];
    }
  },
);

export const namedIsTracked: TrackerScenario = tracking(
  async ({ at, write, name, tracker, latest, untilAt, untilGone, untilQuiet, store }) => {
    for (const one of ["moved", "gone", "changed", "early"]) await write(`${one}.txt`, "text");
    await write("a.txt", "text of a");
    await write("b.txt", "text b");
    const stored = await name(
      ...["moved", "gone", "changed", "early", "a", "b"].map((one) => `${one}.txt`),
    );
    const [moved, gone, changed, early, a, b] = stored.map(({ body }) => body.id);
    const onlyNamed = new Set(stored.map(({ body }) => body.id));

    await rename(at("early.txt"), at("late.txt"));
    await exchange(at("a.txt"), at("b.txt"), at("exchanged"));
    await tracker.track(stored.map(asMetadata), { onlyNamed });
    await tracker.ready();
    await untilAt(early, at("late.txt"));
    await untilAt(a, at("b.txt"));
    await untilAt(b, at("a.txt"));

    await rename(at("moved.txt"), at("elsewhere.txt"));
    await rm(at("gone.txt"));
    await write("changed.txt", "a longer text");
    await untilAt(moved, at("elsewhere.txt"));
    await untilGone(gone);
    await write("gone.txt", "back");
    await untilAt(gone, at("gone.txt"));
    await untilQuiet();

    assert.ok(changed);
    assert.equal((await latest(changed)).version, 1);
    for (const { body } of stored)
      for (const { body: version } of await versionsOf(body.id))
        assert.equal(version.content, null);

    async function versionsOf(id: ObjectId): Promise<readonly StoredVersion[]> {
      const { version } = await latest(id);
      const numbers = Array.from({ length: version }, (_, index) => index + 1);
      const all = await Promise.all(
        numbers.map(async (one) => await store.get(id, { version: one })),
      );
      return all.filter((one) => one !== undefined);
    }
  },
);

async function exchange(one: string, other: string, between: string): Promise<void> {
  await rename(one, between);
  await rename(other, one);
  await rename(between, other);
}
