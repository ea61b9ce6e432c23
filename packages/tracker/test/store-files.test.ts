import {
  type FileSource,
  type IdSource,
  objectId,
  presenceOf,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { expect, it } from "vitest";

import { filesOfFolder, nameFiles, storeFiles } from "../src/index.ts";

const clock = { now: () => 0 };

/** A disk whose files have these texts and sizes. */
function disk(
  texts: Readonly<Record<string, string>>,
  size = 10,
): FileSource & { reads: string[] } {
  const reads: string[] = [];
  return {
    reads,
    resolve: (path) => path,
    list: async () => await Promise.resolve([]),
    stat: async (path) =>
      texts[path] === undefined ? undefined : { realPath: path, kind: "file", size, modified: 5 },
    read: async (path) => {
      reads.push(path);
      return { realPath: path, text: texts[path] ?? "", size, modified: 5 };
    },
  };
}

function numbered(): IdSource {
  let latest = 0;
  return { next: () => objectId(`o${(latest += 1)}`) };
}

const nothing: ReadonlyMap<string, StoredMetadata> = new Map();

it("stores each file once, in the order of the paths", async () => {
  await using store = memoryStore({ clock });
  const files = disk({ "/w/b.md": "two", "/w/a.md": "one" });
  const parts = { store, files, ids: numbered() };

  const first = await storeFiles(["/w/b.md", "/w/a.md", "/w/gone.md"], nothing, "/w", parts);
  const known = await filesOfFolder(store, "/w");
  const second = await storeFiles(["/w/a.md", "/w/b.md"], known, "/w", parts);

  expect(first).toEqual({ added: 2, changed: 0, unread: [] });
  expect([...known].map(([path, { body }]) => [path, body.id])).toEqual([
    ["/w/a.md", "o1"],
    ["/w/b.md", "o2"],
  ]);
  expect(second).toEqual({ added: 0, changed: 0, unread: [] });
  expect(files.reads).toHaveLength(2);
});

it("does not read files outside the folder and files whose names suggest secrets", async () => {
  await using store = memoryStore({ clock });
  const files = disk({ "/w/secrets.md": "x", "/other/a.md": "y" });

  const { unread } = await storeFiles(["/w/secrets.md", "/other/a.md"], nothing, "/w", {
    store,
    files,
    ids: numbered(),
  });

  expect(unread).toEqual([
    { path: "/w/secrets.md", reason: "its name looks like a secret's" },
    { path: "/other/a.md", reason: "it lies outside the workspace" },
  ]);
  expect(files.reads).toEqual([]);
});

it("keeps the object that another process made for a path at the same time", async () => {
  await using store = memoryStore({ clock });
  const parts = { store, files: disk({ "/w/a.md": "one" }), ids: numbered() };
  await storeFiles(["/w/a.md"], nothing, "/w", parts);

  const late = await storeFiles(["/w/a.md"], nothing, "/w", parts);

  expect(late.added).toBe(0);
  const { items } = await store.find({ where: { type: "file" } });
  expect(items.map(({ body }) => [body.id, presenceOf(body)])).toEqual([
    ["o1", "present"],
    ["o2", "missing"],
  ]);
});

it("stores large files in transactions of their own", async () => {
  await using store = memoryStore({ clock });
  const files = disk({ "/w/a.md": "1", "/w/b.md": "2", "/w/c.md": "3" }, 7 * 1024 * 1024);

  await storeFiles(["/w/a.md", "/w/b.md", "/w/c.md"], nothing, "/w", {
    store,
    files,
    ids: numbered(),
  });

  const { versions } = await store.changesSince();
  expect(versions.map(({ at }) => at.tx_id)).toEqual([1, 1, 2]);
});

it("names files without reading them", async () => {
  await using store = memoryStore({ clock });
  const files = disk({ "/w/a.png": "bytes" });

  const named = await nameFiles(["/w/a.png", "/w/gone.png"], { store, files, ids: numbered() });

  const { items } = await store.find({ where: { type: "file" } });
  expect(named).toBe(1);
  expect(items.map(({ body }) => [body["path"], presenceOf(body)])).toEqual([
    ["/w/a.png", "unread"],
  ]);
  expect(files.reads).toEqual([]);
});
