import { markdownParser, searchIndexDamage, type StorePlace } from "@self-context-manager/compose";
import { type ObjectId, type ObjectStore, StoreError } from "@self-context-manager/core";
import { damageOf, readAround } from "@self-context-manager/objects";

import { counted } from "../format/amounts.ts";
import { damaged, type Finding, note, ok } from "./finding.ts";
import { objectPages } from "./object-pages.ts";

/** Compares the entries of the document index with the versions that they were made from. */
export async function checkDocuments(store: ObjectStore): Promise<Finding> {
  const problems: string[] = [];
  let entries = 0;
  for await (const page of objectPages(store)) {
    for (const entry of await entriesOf(
      store,
      page.map(({ body }) => body.id),
      problems,
    )) {
      if (entry === undefined) continue;
      entries += 1;
      const problem = await problemOf(store, entry);
      if (problem !== undefined) problems.push(problem);
    }
  }
  return problems.length === 0
    ? ok("documents", `${counted(entries, "object")} of the document index match the store`)
    : damaged("documents", "the document index does not match the store", problems);
}

type Entry = Awaited<ReturnType<ObjectStore["documents"]["entries"]>>[number];

/** Returns the entries of objects. A damaged one becomes a problem, and does not hide the others. */
async function entriesOf(
  store: ObjectStore,
  ids: readonly ObjectId[],
  problems: string[],
): Promise<readonly Entry[]> {
  return await readAround(
    ids,
    async (some) => await store.documents.entries(markdownParser.name, some),
    (id, error) => problems.push(`the entry of object ${id} cannot be read: ${damageOf(error)}`),
  );
}

/** Returns how an entry differs from the version that it names; undefined if it does not. */
async function problemOf(
  store: ObjectStore,
  { names: { id }, version, contentHash }: NonNullable<Entry>,
): Promise<string | undefined> {
  try {
    const [made] = await store.history(id, { after: version - 1, limit: 1 });
    if (made?.version === version && made.hashes.content_hash === contentHash) return undefined;
    return `the entry of object ${id} is of no version ${version} of the store`;
  } catch (error) {
    if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
    return `the entry of object ${id} cannot be compared: ${damageOf(error)}`;
  }
}

/** Checks the search index beside the store. */
export async function checkSearch(place: StorePlace): Promise<Finding> {
  const found = await searchIndexDamage(place);
  if (found === undefined) return ok("search", "no search index was made yet");
  const { path, damage } = found;
  if (damage === undefined) return ok("search", "the search index is sound");
  // Everything in it is in the store too, so no version is damaged.
  return note("search", `the search index ${path} is damaged; delete it, and it is made again`, [
    damage,
  ]);
}
