import type { Logger, ObjectStore } from "@self-context-manager/core";
import { documentUpkeep, type DocumentUpkeep } from "@self-context-manager/links";
import { markdownParser } from "@self-context-manager/documents";

import { openDocuments, type OpenedDocuments } from "./open-documents.ts";
import type { StorePlace } from "./search-path.ts";

/** What the documents of sessions are made with. */
interface DocumentsOptions {
  readonly store: ObjectStore;
  readonly place: StorePlace | undefined;
  readonly logger: Logger;
}

/**
 * Returns what keeps the derived indexes of a store up to date. If the search index cannot be opened, sessions work without
 * it. Disposal closes it.
 */
export async function sessionDocuments({
  store,
  place,
  logger,
}: DocumentsOptions): Promise<DocumentUpkeep> {
  const opened = await openQuietly(store, place, logger);
  const upkeep = documentUpkeep({
    store,
    logger,
    later,
    ...(opened ?? { parser: markdownParser }),
  });
  return {
    ...upkeep,
    async [Symbol.asyncDispose]() {
      await upkeep[Symbol.asyncDispose]();
      await opened?.[Symbol.asyncDispose]();
    },
  };
}

async function openQuietly(
  store: ObjectStore,
  place: StorePlace | undefined,
  logger: Logger,
): Promise<OpenedDocuments | undefined> {
  try {
    return await openDocuments(store, place);
  } catch (error) {
    logger.warn("nothing can be found by its words", { error });
    return undefined;
  }
}

/** An update for which nobody waits does not keep the process running: the next process makes it. */
function later(
  run: () => void,
  milliseconds: number,
  { isAwaited }: { readonly isAwaited: boolean },
): void {
  if (isAwaited) setImmediate(run);
  else setTimeout(run, milliseconds).unref();
}
