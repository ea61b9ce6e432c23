import { markdownParser } from "@self-context-manager/documents";
import { documentUpkeep } from "@self-context-manager/links";
import { silentLogger } from "@self-context-manager/objects";
import { openSearchIndex } from "@self-context-manager/search";
import type { CreatePlace } from "@self-context-manager/store-contract";
import type { ScopeCheck } from "@self-context-manager/testkit";

/** Returns what opens a store of a place with its indexes. */
export function indexedStore(createPlace: CreatePlace): ScopeCheck["openStore"] {
  return async () => {
    const place = await createPlace();
    const store = await place.open();
    const search = openSearchIndex({ path: ":memory:" });
    const documents = documentUpkeep({
      store,
      parser: markdownParser,
      search,
      logger: silentLogger,
      later: (run, milliseconds) => {
        if (milliseconds === 0) setImmediate(run);
        else setTimeout(run, milliseconds).unref();
      },
    });
    return {
      store,
      documents,
      async [Symbol.asyncDispose]() {
        await documents[Symbol.asyncDispose]();
        await search[Symbol.asyncDispose]();
        await store[Symbol.asyncDispose]();
        await place[Symbol.asyncDispose]();
      },
    };
  };
}
