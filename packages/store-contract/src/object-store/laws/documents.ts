import {
  compareText,
  type IndexedLink,
  type IndexEntry,
  type ObjectId,
  objectId,
  type ObjectStore,
  type ParsedLink,
} from "@self-context-manager/objects";
import assert from "node:assert/strict";

import { allVersions, fingerprint, inStore, sample } from "../samples.ts";
import type { Scenario } from "../store-place.ts";

const parser = "a parser";

/** Returns the entry of a document with a link to each name and with tags. */
function entry(
  id: string,
  version: number,
  names: readonly string[],
  links: readonly string[] = [],
  tags: readonly string[] = [],
): IndexEntry {
  return {
    names: { id: objectId(id), path: `/work/${id} ${version}.md`, aliases: names },
    version,
    contentHash: `hash ${version}`,
    document: {
      parser,
      front_matter: { state: "valid", fields: { names, deep: { ü: [1, null] } } },
      aliases: names,
      headings: [{ level: 1, text: "Costs", range: [0, 7] }],
      links: links.map(link),
      tags: tags.map((tag) => ({ path: "content", range: [0, 1], tag })),
    },
    keys: { names, links: links.map((name) => [name, `${name}#h`]), tags },
  };
}

/** Returns an entry with a name, a link and a tag. */
export function entryOf(id: string, names: readonly string[] = ["n"]): IndexEntry {
  return entry(id, 1, names, ["b"], ["t"]);
}

function link(name: string, index: number): ParsedLink {
  return {
    path: index === 0 ? "/front_matter/up" : "content",
    range: [index, index + name.length + 4],
    syntax: "wiki",
    raw: name,
    name,
    ...(index === 0 ? { relation: "up" } : { embed: true, heading: "h" }),
  };
}

/** Objects of a store, so that entries about them can be kept. */
async function withObjects(store: ObjectStore, ids: readonly string[]): Promise<void> {
  await store.commit(ids.map((id) => ({ object: sample(id) })));
}

function asObject(entry: IndexEntry): unknown {
  const { keys: _, ...object } = entry;
  return object;
}

function linksOf(one: IndexEntry): readonly IndexedLink[] {
  return (one.document?.links ?? []).map((found, index) => ({
    from: one.names,
    index,
    link: found,
  }));
}

function inOrder(links: readonly IndexedLink[]): readonly IndexedLink[] {
  return links.toSorted((one, other) =>
    compareText(`${one.from.id} ${one.index}`, `${other.from.id} ${other.index}`),
  );
}

export const documentsAreFound: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await withObjects(store, ["a", "b", "c", "file"]);
    const { documents } = store;
    assert.equal(await documents.position(parser), undefined);
    assert.deepEqual(await documents.entries(parser, [objectId("a")]), [undefined]);
    const a = entry("a", 1, ["plan", "the plan"], ["b", "nowhere", "b"], ["x", "x/y"]);
    const b = entry("b", 1, ["plan"], ["c"], ["x"]);
    const c = entry("c", 1, ["ü", "\u{1f332}"]);
    const { document: _, ...file } = entry("file", 1, ["file"]);

    await documents.keep(parser, [a, file, b], "1");
    await documents.keep(parser, [c], "2");

    assert.equal(await documents.position(parser), "2");
    const ids = ["file", "none", "b", "a", "c"].map((id) => objectId(id));
    assert.deepEqual(
      await documents.entries(parser, ids),
      [file, undefined, b, a, c].map((one) => (one === undefined ? one : asObject(one))),
    );
    const named = async (keys: readonly string[]): Promise<readonly ObjectId[]> =>
      (await documents.named(parser, keys)).map(({ id }) => id).toSorted();
    assert.deepEqual(await named(["plan", "the plan", "ü", "none"]), ["a", "b", "c"]);
    assert.deepEqual(await named(["\u{1f332}"]), ["c"]);
    assert.deepEqual(await named([]), []);
    assert.deepEqual(await documents.named(parser, ["file"]), [file.names]);
    const linking = async (keys: readonly string[]): Promise<readonly IndexedLink[]> =>
      inOrder(await documents.linking(parser, keys));
    assert.deepEqual(await linking(["b"]), [linksOf(a)[0], linksOf(a)[2]]);
    assert.deepEqual(await linking(["c#h", "nowhere"]), [linksOf(a)[1], linksOf(b)[0]]);
    assert.deepEqual(await linking(["other"]), []);
    assert.deepEqual([...(await documents.tagged(parser, "x"))].toSorted(), ["a", "b"]);
    assert.deepEqual(await documents.tagged(parser, "x/y"), ["a"]);
    assert.deepEqual(
      [...(await documents.tags(parser))].toSorted((one, other) =>
        one.tag.localeCompare(other.tag),
      ),
      [
        { tag: "x", objects: 2 },
        { tag: "x/y", objects: 1 },
      ],
    );
    assert.deepEqual(await documents.links(parser), [...linksOf(a), ...linksOf(b)]);
    // A page has whole documents.
    assert.deepEqual(await documents.links(parser, { limit: 1 }), linksOf(a));
    assert.deepEqual(await documents.links(parser, { after: objectId("a") }), linksOf(b));

    // A newer entry replaces all of the former one.
    const later = entry("a", 2, ["report"], ["c"], ["z"]);
    await documents.keep(parser, [later], "3");
    assert.deepEqual(await named(["plan", "the plan"]), ["b"]);
    assert.deepEqual(await documents.named(parser, ["report"]), [later.names]);
    assert.deepEqual(await linking(["b", "nowhere"]), []);
    assert.deepEqual(await linking(["c"]), [linksOf(later)[0], linksOf(b)[0]]);
    assert.deepEqual(await documents.tagged(parser, "x/y"), []);
    assert.deepEqual(await documents.entries(parser, [objectId("a")]), [asObject(later)]);
  });

export const documentsKeepNewest: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await withObjects(store, ["a"]);
    const { documents } = store;
    const newer = entry("a", 3, ["new"], ["b"], ["t"]);
    await documents.keep(parser, [newer], "1");

    await documents.keep(parser, [entry("a", 2, ["old"], ["c"], ["u"])], "2");

    assert.deepEqual(await documents.entries(parser, [objectId("a")]), [asObject(newer)]);
    assert.deepEqual(await documents.named(parser, ["old", "new"]), [newer.names]);
    assert.deepEqual(await documents.linking(parser, ["b", "c"]), linksOf(newer));
    assert.deepEqual(await documents.tagged(parser, "u"), []);
    assert.equal(await documents.position(parser), "2");
  });

export const documentsBelongToParser: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await withObjects(store, ["a", "b"]);
    const { documents } = store;
    const id = objectId("a");
    await documents.keep(parser, [entry("a", 5, ["n"], ["l"], ["t"])], "7");

    const none = async (asked: string): Promise<void> => {
      assert.equal(await documents.position(asked), undefined);
      assert.deepEqual(await documents.entries(asked, [id]), [undefined]);
      assert.deepEqual(await documents.named(asked, ["n"]), []);
      assert.deepEqual(await documents.linking(asked, ["l"]), []);
      assert.deepEqual(await documents.tagged(asked, "t"), []);
      assert.deepEqual(await documents.tags(asked), []);
      assert.deepEqual(await documents.links(asked), []);
    };
    await none("another parser");

    // The other parser begins from nothing, also with objects whose entry had a later version.
    const other = entry("a", 1, ["m"]);
    await documents.keep("another parser", [other], "1");
    await none(parser);
    assert.deepEqual(await documents.entries("another parser", [id]), [asObject(other)]);
    assert.deepEqual(await documents.named("another parser", ["n", "m"]), [other.names]);
    assert.equal(await documents.position("another parser"), "1");
  });

export const documentsAreApart: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await withObjects(store, ["a", "b"]);
    const before = await answersOf(store);

    await store.documents.keep(parser, [entry("a", 1, ["n"], ["b"], ["t"])], "1");

    assert.deepEqual(await answersOf(store), before);
    const { versions } = await store.commit([{ object: sample("a", { later: true }), expect: 1 }]);
    assert.equal(versions[0]?.version, 2);
    assert.equal(versions[0].at.tx_id, before.lastTx + 1);
  });

async function answersOf(store: ObjectStore) {
  const versions = await allVersions(store);
  return {
    lastTx: Math.max(...versions.map(({ at }) => at.tx_id)),
    versions: versions.map(fingerprint),
    changes: await store.changesSince(),
    found: await store.find({}),
    referrers: await store.referrers(objectId("b")),
    named: await store.lookup("n"),
  };
}
