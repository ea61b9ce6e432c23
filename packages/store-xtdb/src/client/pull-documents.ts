import { DamageError } from "./xtdb-errors.ts";
import type { CallBudget } from "./call-budget.ts";
import type { Basis, Document, NodeClient } from "./node-client.ts";

export interface PullOptions {
  /** Number of documents that one query requests. Default: 300. */
  readonly atOnce?: number;
  /** The transaction of XTDB as of which they are read. Default: the latest. */
  readonly at?: Basis;
}

/**
 * Returns those documents with the given ids that exist, each with its id, in no particular order. Throws `DamageError` for
 * one that only the index has.
 */
export async function pullDocuments(
  client: NodeClient,
  documentIds: readonly string[],
  budget: CallBudget,
  { atOnce = 300, at }: PullOptions = {},
): Promise<readonly (readonly [id: string, document: Document])[]> {
  const found: (readonly [string, Document])[] = [];
  for (let start = 0; start < documentIds.length; start += atOnce) {
    const rows = await client.query(
      `{:find [d (pull d [*])] :in [[d ...]] :where [[d :xt/id]]}`,
      [documentIds.slice(start, start + atOnce)],
      budget,
      at,
    );
    for (const [id, document] of rows) found.push([String(id), pulled(id, document)]);
  }
  return found;
}

/** Returns a document that a query has pulled. Throws `DamageError` if only the index has it. */
export function pulled(id: unknown, document: unknown): Document {
  if (document !== null) return document as Document;
  throw new DamageError(`document ${String(id)} is missing, but the index names it`);
}
