import type { ObjectId } from "../model/object-id.ts";

/**
 * Finds texts by their words. It is a derived layer (§14, decision D67): made from the versions of a store, in a place of
 * its own, and it can be made again at any time. Another kind of search, such as one by meaning, is another index behind
 * this port.
 *
 * Laws, each with a test of the same key:
 *
 * - `search-finds-what-was-added`: a text is found by each of its words, and by the parts of its identifiers.
 * - `search-replaces-places`: a text that is added at a place takes the place of the one that was there.
 * - `search-keeps-its-position`: after a reopening, texts and position are those of the last `add` that resolved.
 * - `search-adds-in-slices`: while a long text is added, other work comes in between, and other processes can write. Nothing
 *   of the texts of an `add` is found, and its position is not reached, until all of them are added.
 * - `search-never-fails-on-words`: every query has an answer, whatever its characters.
 */
export interface SearchIndex extends AsyncDisposable {
  /** The position in `changesSince` up to which texts were added; undefined for an index that is empty. */
  position(): Promise<string | undefined>;

  /** Adds texts, and the position that is reached with them. All are added, or none. */
  add(texts: readonly SearchText[], position: string): Promise<void>;

  /** Returns the places of the texts that have words of the query, best first. */
  search(query: SearchQuery): Promise<readonly SearchHit[]>;

  /** Forgets all texts, so that they are added again from the beginning. Nothing of them stays in its files. */
  clear(): Promise<void>;
}

/** A text of an object. */
export interface SearchText {
  readonly id: ObjectId;
  readonly version: number;
  /** Where in the object the text is, such as `turns/3`; empty for its content. */
  readonly place: string;
  readonly type: string;
  /** The session in which the object was made, if it is of one. */
  readonly session?: ObjectId;
  readonly text: string;
}

export interface SearchQuery {
  /**
   * Several words in quotation marks are a phrase. If any of the best texts that begin with all of their words have the
   * phrases, only such texts are found. Otherwise the words count one by one.
   */
  readonly words: string;
  /** Only objects of this type. */
  readonly type?: string;
  /** Only texts of this session. */
  readonly session?: ObjectId;
  /** The greatest number of hits. Default 20. */
  readonly limit?: number;
}

/** A text that was found. */
export interface SearchHit {
  readonly id: ObjectId;
  readonly version: number;
  readonly place: string;
  readonly type: string;
  /** How well it fits: greater is better; comparable only within one answer. 0 for a text that only contains words. */
  readonly score: number;
}
