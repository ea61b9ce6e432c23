import { type ObjectStore, StoreError } from "@self-context-manager/core";
import { markdownParser } from "@self-context-manager/documents";
import { searchedText } from "@self-context-manager/links";
import {
  type DocumentParser,
  messageOf,
  type ObjectId,
  type SearchIndex,
} from "@self-context-manager/objects";

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
  const search = await indexOfStore(await openIndex(path, store), store, fileOf(place));
  return {
    parser: markdownParser,
    search,
    [Symbol.asyncDispose]: async () => await search[Symbol.asyncDispose](),
  };
}

async function openIndex(path: string, store: ObjectStore): Promise<SearchIndex> {
  try {
    // Loaded here, so that a Node without node:sqlite can use the rest of this package.
    const { openSearchIndex } = await import("@self-context-manager/search");
    const readText = async (id: ObjectId, version: number): Promise<string | undefined> =>
      await searchedText(store, id, version);
    return withStoreErrors(openSearchIndex({ path, readText }), path);
  } catch (error) {
    throw storeError(path, error);
  }
}

/** An index whose errors have the codes of a store's, because callers handle both in the same way. */
function withStoreErrors(index: SearchIndex, path: string): SearchIndex {
  const coded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw sqliteCode(error) === undefined ? error : storeError(path, error);
    }
  };
  return {
    position: async () => await coded(async () => await index.position()),
    add: async (texts, position) => await coded(async () => await index.add(texts, position)),
    search: async (query) => await coded(async () => await index.search(query)),
    clear: async () => await coded(async () => await index.clear()),
    [Symbol.asyncDispose]: async () => await index[Symbol.asyncDispose](),
  };
}

/** SQLite's result code if another process has the write lock for too long. */
const busy = 5;

/** The result code of an error of SQLite. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  // The low byte is the code, and the others say more about it.
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}

function storeError(path: string, cause: unknown): StoreError {
  const reason = messageOf(cause);
  if (sqliteCode(cause) === busy)
    return new StoreError(
      "STORE_BUSY",
      `another process writes the search index ${path} (${reason}); try again`,
      { cause },
    );
  return new StoreError(
    "STORE_UNAVAILABLE",
    `the search index ${path} cannot be used (${reason}); it holds nothing that is not in the store, so if the file is damaged, delete it and it is made again`,
    { cause },
  );
}

function fileOf(place: StorePlace | undefined): string | undefined {
  if (place === undefined || place.store === "memory" || isNodeUrl(place.at)) return undefined;
  return place.at;
}
