import { describe, expect, it } from "vitest";
import { metadataVersion, type StoredVersion } from "@self-context-manager/objects";
import { trackedDisk } from "./tracked-disk.ts";

// A file that is indexed and not tracked is one of an earlier session: nothing was watched when it changed.

function at({ body }: StoredVersion): unknown {
  return body["path"];
}

describe.each([
  ["by their nodes", true],
  ["by their contents, if the store has no nodes", false],
])("between two sessions, known files are recognised %s", (_, hasNodes) => {
  function opened(): ReturnType<typeof trackedDisk> {
    const all = trackedDisk();
    if (!hasNodes) all.disk.withoutNodes();
    return all;
  }

  it("if one was renamed over another", async () => {
    const { disk, index, track, latest, types } = opened();
    const a = await index("/work/a.txt", "text of a");
    const b = await index("/work/b.txt", "text b");

    disk.rename("/work/a.txt", "/work/b.txt");
    await track(b, a);

    expect((await latest(a)).body).toMatchObject({ path: "/work/b.txt", content: "text of a" });
    expect((await latest(b)).body).toMatchObject({ path: null, content: null });
    expect([types(a), types(b)]).toEqual([["moved"], ["vanished"]]);
  });

  it("if two exchanged their paths", async () => {
    const { disk, index, track, latest, tracker, store } = opened();
    const a = await index("/work/a.txt", "text of a");
    const b = await index("/work/b.txt", "text b");

    disk.exchange("/work/a.txt", "/work/b.txt");
    await track(a, b);
    await tracker.check();

    expect((await latest(a)).body).toMatchObject({ path: "/work/b.txt", content: "text of a" });
    expect((await latest(b)).body).toMatchObject({ path: "/work/a.txt", content: "text b" });
    expect((await store.changesSince()).versions).toHaveLength(4);
  });

  it("if three exchanged their paths outside the folders that are searched", async () => {
    const { disk, index, track, latest } = opened();
    disk.searchOnly("/work/none");
    const a = await index("/work/a.txt", "a");
    const b = await index("/work/b.txt", "bb");
    const c = await index("/work/c.txt", "ccc");

    disk.exchange("/work/a.txt", "/work/b.txt");
    disk.exchange("/work/b.txt", "/work/c.txt");
    await track(a, b, c);

    expect(at(await latest(a))).toBe("/work/c.txt");
    expect(at(await latest(b))).toBe("/work/a.txt");
    expect(at(await latest(c))).toBe("/work/b.txt");
  });

  it("if one replaced another, which was renamed", async () => {
    const { disk, index, track, latest } = opened();
    const a = await index("/work/a.txt", "text of a");
    const b = await index("/work/b.txt", "text b");

    disk.rename("/work/b.txt", "/work/b.old");
    disk.rename("/work/a.txt", "/work/b.txt");
    await track(a, b);

    expect(at(await latest(a))).toBe("/work/b.txt");
    expect(at(await latest(b))).toBe("/work/b.old");
  });

  it("and a file that was saved by renaming a new one over it stays one object", async () => {
    const { disk, index, later, track, latest, store } = opened();
    const a = await index("/work/a.txt", "text of a");

    later();
    disk.write("/work/a.txt.tmp", "a longer text of a");
    disk.rename("/work/a.txt.tmp", "/work/a.txt");
    await track(a);

    expect(await latest(a)).toMatchObject({
      version: 2,
      body: { path: "/work/a.txt", content: "a longer text of a" },
    });
    expect((await store.find({ where: { type: "file" } })).items).toHaveLength(1);
  });

  it("and a copy that replaced another, with an original that has changed, is a change", async () => {
    const { disk, index, later, track, latest } = opened();
    const a = await index("/work/a.txt", "text of a");
    const b = await index("/work/b.txt", "text b");

    later();
    disk.write("/work/b.txt", "text of a");
    disk.write("/work/a.txt", "another text of a");
    await track(a, b);

    expect((await latest(a)).body).toMatchObject({
      path: "/work/a.txt",
      content: "another text of a",
    });
    expect((await latest(b)).body).toMatchObject({ path: "/work/b.txt", content: "text of a" });
  });
});

describe("a node that the store has from an earlier session", () => {
  it("recognises a file that was moved and changed", async () => {
    const { disk, index, later, track, latest } = trackedDisk();
    const a = await index("/work/a.txt", "text of a");

    disk.rename("/work/a.txt", "/work/b.txt");
    later();
    disk.write("/work/b.txt", "changed");
    await track(a);

    expect((await latest(a)).body).toMatchObject({ path: "/work/b.txt", content: "changed" });
  });

  it("recognises files of equal content that exchanged their paths, without a read", async () => {
    const { disk, index, track, latest } = trackedDisk();
    const a = await index("/work/a.txt", "the same");
    const b = await index("/work/b.txt", "the same");

    disk.exchange("/work/a.txt", "/work/b.txt");
    await track(a, b);

    expect(at(await latest(a))).toBe("/work/b.txt");
    expect(at(await latest(b))).toBe("/work/a.txt");
    expect(disk.reads).toEqual([]);
  });

  it("is not taken for that of an unrelated file that got it later", async () => {
    const { disk, index, later, track, latest } = trackedDisk();
    const a = await index("/work/a.txt", "text of a");
    const b = await index("/work/b.txt", "text b");
    disk.remove("/work/a.txt");
    disk.remove("/work/b.txt");
    later();

    disk.reuseNode("disk:1");
    disk.write("/work/b.txt", "text B");
    await track(a, b);

    expect((await latest(a)).body["presence"]).toBe("missing");
    expect((await latest(b)).body).toMatchObject({ path: "/work/b.txt", content: "text B" });
  });

  it("shows that an older file was moved to the path, which is another object", async () => {
    const { disk, index, later, track, latest, store } = trackedDisk();
    disk.write("/work/stranger.txt", "a stranger's text");
    later();
    const a = await index("/work/a.txt", "text of a");

    later();
    disk.rename("/work/stranger.txt", "/work/a.txt");
    later();
    await track(a);

    expect((await latest(a)).body["presence"]).toBe("missing");
    const { items } = await store.find({ where: { path: "/work/a.txt" } });
    expect(items).toMatchObject([{ version: 1, body: { presence: "unread" } }]);
  });

  it("recognises a deleted file that comes back from another place", async () => {
    const { disk, know, later, latest, tracker, reopen } = trackedDisk();
    const a = await know("/work/a.txt", "text of a");
    disk.searchOnly("/work/none");
    disk.rename("/work/a.txt", "/away/a.txt");
    await tracker.check();
    later();

    disk.rename("/away/a.txt", "/work/a.txt");
    await reopen().track([metadataVersion(await latest(a))]);

    expect((await latest(a)).body).toMatchObject({ path: "/work/a.txt", content: "text of a" });
  });

  it("is that of the new place after a move by copy", async () => {
    const { disk, know, later, latest, tracker } = trackedDisk();
    const a = await know("/work/a.txt", "text of a");

    disk.write("/work/b.txt", "text of a");
    disk.remove("/work/a.txt");
    await tracker.check();
    later();

    expect((await latest(a)).body).toMatchObject({ path: "/work/b.txt", disk: { node: "disk:2" } });
  });
});

describe("a file of which neither node nor content shows whether it was replaced", () => {
  it("counts as the file at its path, and the version says so", async () => {
    const { disk, index, later, track, latest } = trackedDisk();
    disk.withoutNodes();
    const a = await index("/work/a.txt", "text of a");

    later();
    disk.write("/work/a.txt", "changed");
    await track(a);

    expect((await latest(a)).body.provenance).toEqual({
      origin: "/work/a.txt",
      generator: "human",
      identified_by: "path",
    });
  });

  it("has no such mark in the next version, or if the node is known", async () => {
    const { disk, index, know, later, track, tracker, latest } = trackedDisk();
    const known = await know("/work/known.txt", "one");
    disk.withoutNodes();
    const a = await index("/work/a.txt", "text of a");
    later();
    disk.write("/work/a.txt", "changed");
    disk.write("/work/known.txt", "two");
    await track(a);

    disk.rename("/work/a.txt", "/work/b.txt");
    await tracker.check();

    for (const id of [a, known])
      expect((await latest(id)).body.provenance).not.toHaveProperty("identified_by");
  });

  it("stays at its path if both have the same content", async () => {
    const { disk, index, track, latest } = trackedDisk();
    disk.withoutNodes();
    const a = await index("/work/a.txt", "the same");
    const b = await index("/work/b.txt", "the same");

    disk.exchange("/work/a.txt", "/work/b.txt");
    await track(a, b);

    expect([(await latest(a)).version, (await latest(b)).version]).toEqual([1, 1]);
  });
});

describe("files that were only named", () => {
  it("are the same objects after a move and missing after a deletion, and are not read", async () => {
    const { disk, name, trackNamed, tracker, latest, types } = trackedDisk();
    disk.write("/work/a.txt", "text of a");
    disk.write("/work/b.txt", "text b");
    const a = await name("/work/a.txt");
    const b = await name("/work/b.txt");
    await trackNamed(a, b);

    disk.rename("/work/a.txt", "/work/c.txt");
    disk.remove("/work/b.txt");
    await tracker.check();

    expect((await latest(a)).body).toMatchObject({ path: "/work/c.txt", presence: "unread" });
    expect((await latest(b)).body).toMatchObject({ path: null, presence: "missing" });
    expect([types(a), types(b)]).toEqual([["moved"], ["vanished"]]);
    expect(disk.reads).toEqual([]);
  });

  it("are recognised between two sessions, over each other too", async () => {
    const { disk, name, trackNamed, latest } = trackedDisk();
    disk.write("/work/a.txt", "text of a");
    disk.write("/work/b.txt", "text b");
    const a = await name("/work/a.txt");
    const b = await name("/work/b.txt");

    disk.exchange("/work/a.txt", "/work/b.txt");
    await trackNamed(a, b);

    expect((await latest(a)).body).toMatchObject({ path: "/work/b.txt", size: 9 });
    expect((await latest(b)).body).toMatchObject({ path: "/work/a.txt", size: 6 });
    expect(disk.reads).toEqual([]);
  });

  it("get no version when their content changes", async () => {
    const { disk, name, later, trackNamed, tracker, latest, changes } = trackedDisk();
    disk.write("/work/a.txt", "text of a");
    const a = await name("/work/a.txt");
    await trackNamed(a);
    later();

    disk.write("/work/a.txt", "a longer text of a");
    await tracker.check();

    expect((await latest(a)).version).toBe(1);
    expect(changes).toEqual([]);
  });

  it("stay unread when they are created again after a deletion", async () => {
    const { disk, name, later, trackNamed, tracker, latest } = trackedDisk();
    disk.write("/work/a.txt", "text of a");
    const a = await name("/work/a.txt");
    await trackNamed(a);
    disk.remove("/work/a.txt");
    await tracker.check();
    later();

    disk.write("/work/a.txt", "back");
    await tracker.check();

    expect((await latest(a)).body).toMatchObject({ path: "/work/a.txt", presence: "unread" });
    expect(disk.reads).toEqual([]);
  });

  it("are tracked fully once their content is stored, or another session has read them", async () => {
    const { disk, name, later, track, trackNamed, tracker, latest } = trackedDisk();
    disk.write("/work/a.txt", "text of a");
    const a = await name("/work/a.txt");
    await track(a);
    await trackNamed(a);
    later();

    disk.write("/work/a.txt", "a longer text of a");
    await tracker.check();

    expect((await latest(a)).body["size"]).toBe(18);
  });
});
