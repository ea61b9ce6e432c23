import { canonicalJson } from "@self-context-manager/objects";
import { crc32 } from "node:zlib";

import type { Document, JsonDocument } from "../client/node-client.ts";
import { DamageError } from "../client/xtdb-errors.ts";

/**
 * The checksums of documents. XTDB does not compare what it reads with what was written, so a damaged value would be read
 * as if it had been stored. Chunks need no checksum, because their ids are hashes of their texts. The pages of references
 * have none: what is found with them is compared with the objects.
 */
export interface DocumentSums {
  /** Returns a document with its checksum (CRC-32 of its canonical JSON). */
  sealed(document: JsonDocument): JsonDocument;
  /** Returns a document. Throws `DamageError` if it is not as it was written, or is null because it is missing. */
  checked(document: Document | null): Document;
}

/** Returns the checksums of the documents of the store with the given name. */
export function documentSums(name: string): DocumentSums {
  const attribute = `${name}/sum`;
  return {
    sealed: (document) => ({ ...document, [attribute]: sumOf(document) }),
    checked(document) {
      if (document === null) throw new DamageError("a document that another one names is missing");
      const { [attribute]: sum, ...others } = document;
      if (sum === sumOf(others as JsonDocument)) return document;
      throw new DamageError(`document ${String(document["xt/id"])} is not as it was stored`);
    },
  };
}

function sumOf(document: JsonDocument): number {
  return crc32(canonicalJson(document));
}
