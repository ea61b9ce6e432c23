import { type ObjectStore, StoreError } from "@self-context-manager/core";
import { markdownParser } from "@self-context-manager/documents";
import type { DocumentParser, SearchIndex } from "@self-context-manager/objects";

import type { Environment } from "./environment.ts";
import { indexOfStore } from "./index-of-store.ts";
import { inMemory, searchPath, type StorePlace } from "./search-path.ts";
import { isNodeUrl } from "./store-path.ts";

/** What reads documents, and what finds texts. Disposal closes the search index. */
export interface OpenedDocuments extends AsyncDisposable {
  readonly parser: DocumentParser;
  readonly search: SearchIndex;
}

/**
 * Opens the parser of documents and the search index of an open store. `place` is how the store was opened; without it,
 * the index is in memory. The index belongs to this store alone: one of another store that was at the same place answers
 * nothing and is made again. Several processes can have it open. Rejects with `StoreError` if it cannot be opened.
 */
export async function openDocuments(
  store: ObjectStore,
  place?: StorePlace,
  environment: Environment = process.env,
): Promise<OpenedDocuments> {
  const path = place === undefined ? inMemory : searchPath(place, environment);
  const search = await indexOfStore(await openIndex(path), store, fileOf(place));
  return {
    parser: markdownParser,
    search,
    [Symbol.asyncDispose]: async () => await search[Symbol.asyncDispose](),
  };
}

async function openIndex(path: string): Promise<SearchIndex> {
  try {
    // Loaded here, so that a Node without node:sqlite can use the rest of this package.
    const { openSearchIndex } = await import("@self-context-manager/search");
    return openSearchIndex({ path });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(
      "STORE_UNAVAILABLE",
      `the search index ${path} cannot be opened (${reason}); it holds nothing that is not in the store, so if the file is damaged, delete it and it is made again`,
      { cause },
    );
  }
}

function fileOf(place: StorePlace | undefined): string | undefined {
  if (place === undefined || place.store === "memory" || isNodeUrl(place.at)) return undefined;
  return place.at;
}
