import type { VersionPoint } from "@self-context-manager/objects";

import type { Document } from "../client/node-client.ts";
import { DamageError } from "../client/xtdb-errors.ts";

export type AttributeName =
  | "schema"
  | "commits"
  | "commit"
  | "tx"
  | "time"
  | "versions"
  | "objects"
  | "nonce"
  | "digest"
  | "outcome"
  | "place"
  | "long"
  | "version"
  | "previous"
  | "latest"
  | "texts"
  | "from"
  | "to"
  | "edges"
  | "of"
  | "arrival"
  | "content"
  | "delta"
  | "chain"
  | "owner"
  | "text"
  | "packed"
  | "chunks"
  | "generation"
  | "rewriting"
  | "removed"
  | "key"
  | "forgotten"
  | "journal"
  | "step";

/** Reads the store's own attributes of documents. Throws `DamageError` for a document without the attribute. */
export interface DocumentValues {
  /** Returns the name of an attribute in JSON and in answers. */
  readonly attribute: (name: AttributeName) => string;
  readonly read: (document: Document, name: AttributeName) => unknown;
  readonly text: (document: Document, name: AttributeName) => string;
  readonly count: (document: Document, name: AttributeName) => number;
  readonly pointOf: (document: Document) => VersionPoint;
  /** Returns the number of the version before; 0 if there is none. */
  readonly previousOf: (document: Document) => number;
}

export function documentValues(name: string): DocumentValues {
  const attribute = (attributeName: AttributeName): string => `${name}/${attributeName}`;

  function read(document: Document, attributeName: AttributeName): unknown {
    return document[attribute(attributeName)];
  }

  function text(document: Document, attributeName: AttributeName): string {
    const value = read(document, attributeName);
    if (typeof value === "string") return value;
    throw damaged(document, attributeName);
  }

  function count(document: Document, attributeName: AttributeName): number {
    const value = read(document, attributeName);
    if (typeof value === "number") return value;
    throw damaged(document, attributeName);
  }

  function damaged(document: Document, attributeName: AttributeName): DamageError {
    return new DamageError(
      `document ${String(document["xt/id"])} has no ${attribute(attributeName)}`,
    );
  }

  function pointOf(document: Document): VersionPoint {
    return Object.freeze({ tx_id: count(document, "tx"), tx_time: text(document, "time") });
  }

  function previousOf(document: Document): number {
    return Number(read(document, "previous") ?? count(document, "version") - 1);
  }

  return { attribute, read, text, count, pointOf, previousOf };
}
