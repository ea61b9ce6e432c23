import { schemaVersion } from "./xtdb-documents/xtdb-documents.ts";
import type { CallBudget } from "./client/call-budget.ts";
import type { Document } from "./client/node-client.ts";
import type { StoreParts } from "./store-parts.ts";
import { field, storeError } from "./client/xtdb-errors.ts";

/**
 * Looks at the node and at the clock of the store, and returns the clock's document; undefined for an empty store. Throws
 * for a server that is not XTDB 1.24, for a document of another program, and for another schema than that of this program.
 */
export async function firstLook(
  { client, names }: Pick<StoreParts, "client" | "names">,
  budget: CallBudget,
): Promise<Document | undefined> {
  checkEngine(await client.status(budget), client.url);
  // A node already answers while it still indexes its log.
  await client.sync(budget);
  const document = await client.entity(names.clockId, budget);
  if (document === undefined) return undefined;
  const schema = names.read(document, "schema");
  if (typeof schema !== "number") {
    throw storeError(
      "STORE_FOREIGN",
      client.url,
      `its document ${names.clockId} belongs to another program; give the store another name in this database`,
    );
  }
  if (schema > schemaVersion) {
    throw storeError(
      "STORE_TOO_NEW",
      client.url,
      `its store has schema version ${schema}, but this program supports only versions up to ${schemaVersion}; update the program`,
    );
  }
  if (schema < schemaVersion) {
    throw storeError(
      "STORE_TOO_OLD",
      client.url,
      `its store has schema version ${schema}, which no release had; give the store another name in this database`,
    );
  }
  return document;
}

/** Refuses other versions of XTDB: the documents and queries are those of XTDB 1, and 1.24 is its last version. */
function checkEngine(status: Document, url: string): void {
  const version = field(status, "version");
  if (typeof version === "string" && /^1\.(?:2[3-9]|[3-9]\d)\./u.test(`${version}.`)) return;
  throw storeError(
    "STORE_FOREIGN",
    url,
    `it is ${typeof version === "string" ? `XTDB ${version.slice(0, 40)}` : "not an XTDB that reports its version"}; the store needs XTDB 1.24`,
  );
}
