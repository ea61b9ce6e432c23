import { markdownParser, searchIndexDamage, type StorePlace } from "@self-context-manager/compose";
import type { ObjectId, ObjectStore } from "@self-context-manager/core";

import { counted } from "../format/amounts.ts";
import { damaged, type Finding, ok } from "./finding.ts";

/** The number of objects whose entries are compared at once. */
const objectsAtOnce = 500;

/** Compares the entries of the document index with the versions that they were made from. */
export async function checkDocuments(store: ObjectStore): Promise<Finding> {
  const problems: string[] = [];
  let entries = 0;
  let position: string | undefined;
  const seen = new Set<ObjectId>();
  for (;;) {
    const page = await store.changesSince(position, { limit: objectsAtOnce });
    const ids = [...new Set(page.versions.map(({ body }) => body.id))].filter(
      (id) => !seen.has(id),
    );
    for (const id of ids) seen.add(id);
    for (const entry of await store.documents.entries(markdownParser.name, ids)) {
      if (entry === undefined) continue;
      entries += 1;
      const { names, version, contentHash } = entry;
      const [made] = await store.history(names.id, { after: version - 1, limit: 1 });
      if (made?.version !== version || made.hashes.content_hash !== contentHash)
        problems.push(`the entry of object ${names.id} is of no version ${version} of the store`);
    }
    if (page.versions.length < objectsAtOnce) break;
    position = page.position;
  }
  return problems.length === 0
    ? ok("documents", `${counted(entries, "object")} of the document index match the store`)
    : damaged("documents", "the document index does not match the store", problems);
}

/** Checks the search index beside the store. */
export async function checkSearch(place: StorePlace): Promise<Finding> {
  const found = await searchIndexDamage(place);
  if (found === undefined) return ok("search", "no search index was made yet");
  const { path, damage } = found;
  if (damage === undefined) return ok("search", "the search index is sound");
  return damaged("search", `the search index ${path} is damaged; delete it, and it is made again`, [
    damage,
  ]);
}
