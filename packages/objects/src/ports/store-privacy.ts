import type { ObjectId } from "../model/object-id.ts";
import type { SealedObject } from "../model/sealed-object.ts";
import type { StoredVersion } from "../model/stored-version.ts";

/** What a store keeps beside its objects, so that what the user had forgotten does not return (decision D69). */
export interface StorePrivacy {
  /**
   * A random key of this store, 64 hexadecimal digits. It never changes and is in no export. Marks and hashes of private
   * texts are made with it, so that they cannot be compared with those of another store.
   */
  readonly key: string;
  /** The number of rewrites so far. A program that read objects before a rewrite has to read them again. */
  readonly generation: number;
  /** The texts that the user had forgotten, in the order in which they were. */
  readonly forgotten: readonly ForgottenText[];
}

/** A text that the user had forgotten. It has no part of that text. */
export interface ForgottenText {
  /** A `span` is known anywhere within a text, and a `whole` only as a whole text. */
  readonly kind: "span" | "whole";
  /** The length in UTF-16 units. */
  readonly length: number;
  /** The keyed hash of the text, 32 hexadecimal digits. */
  readonly hash: string;
  /** For a span: a keyed number of 32 bits, by which a place that could be the span is found quickly. */
  readonly print?: number;
  /** What is stored where the text comes again: `[forgotten: DATE, REASON]`. */
  readonly mark: string;
}

/** What a rewrite changes. An object is in one of the two lists at most. */
export interface RewriteRequest {
  /** The objects whose versions are written again. */
  readonly objects: readonly ObjectId[];
  /**
   * Returns what a version becomes: an object with the same id; undefined if the version stays as it is. It is called for
   * each version of the objects, oldest first, and again if the store has to repeat the rewrite. It has no other effect.
   */
  readonly change: (stored: StoredVersion) => SealedObject | undefined;
  /** The objects that are removed with all versions. Default: none. */
  readonly remove?: readonly ObjectId[];
  /** The texts that are known as forgotten from now on. Default: none. */
  readonly forgotten?: readonly ForgottenText[];
}

export interface RewriteResult {
  /** The number of versions that were changed. */
  readonly changed: number;
  /** The number of versions that were removed. */
  readonly removed: number;
  /** The generation of the store after the rewrite. */
  readonly generation: number;
}
