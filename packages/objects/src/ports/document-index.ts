import type { ObjectId } from "../model/object-id.ts";
import type { ParsedDocument, ParsedLink } from "../model/parsed-document.ts";

/**
 * Keeps the names of objects and what documents say about other objects, so that links can be followed in both directions.
 *
 * It is a derived layer (§14): it can be made again from the versions at any time, is in no hash and no export, and is
 * brought up to date by `core` after the commits that it describes. It says nothing about what a name means: it finds
 * by keys, and `core` decides among what was found (decision D62).
 *
 * Its laws are among those of `ObjectStore`: those whose keys begin with `documents`, and `survives-reopen`.
 */
export interface DocumentIndex {
  /** The position in `changesSince` up to which a parser's entries are kept; undefined if it has kept none. */
  position(parser: string): Promise<string | undefined>;

  /** Keeps entries, which replace earlier ones of the same objects, and the position that is reached with them. */
  keep(parser: string, entries: readonly IndexEntry[], position: string): Promise<void>;

  /** Returns the entries of objects, in the order of the ids. */
  entries(
    parser: string,
    ids: readonly ObjectId[],
  ): Promise<readonly (IndexedObject | undefined)[]>;

  /** Returns the objects that have at least one of the keys, each once, in no particular order. */
  named(parser: string, keys: readonly string[]): Promise<readonly IndexedNames[]>;

  /** Returns the links that have at least one of the keys, each once, in no particular order. */
  linking(parser: string, keys: readonly string[]): Promise<readonly IndexedLink[]>;

  /** Returns the objects with a tag, in no particular order. */
  tagged(parser: string, tag: string): Promise<readonly ObjectId[]>;

  /** Returns each tag with the number of objects that have it. */
  tags(parser: string): Promise<readonly { readonly tag: string; readonly objects: number }[]>;

  /** Returns all links, in the order of the ids of their documents, page by page. */
  links(
    parser: string,
    options?: { readonly after?: ObjectId; readonly limit?: number },
  ): Promise<readonly IndexedLink[]>;
}

/** The names of an object: what a link can call it by. */
export interface IndexedNames {
  readonly id: ObjectId;
  readonly nickname?: string;
  /** The absolute path of its file. */
  readonly path?: string;
  readonly aliases: readonly string[];
}

/** An object of the index. */
export interface IndexedObject {
  readonly names: IndexedNames;
  readonly version: number;
  readonly contentHash: string;
  /** Present if the object is a document. */
  readonly document?: ParsedDocument;
}

/** An object with the keys by which it and its links are found. */
export interface IndexEntry extends IndexedObject {
  readonly keys: {
    readonly names: readonly string[];
    /** The keys of each link of the document, in its order. */
    readonly links: readonly (readonly string[])[];
    readonly tags: readonly string[];
  };
}

/** A link with the document that has it, and its number in the document's list. */
export interface IndexedLink {
  readonly from: IndexedNames;
  readonly index: number;
  readonly link: ParsedLink;
}
