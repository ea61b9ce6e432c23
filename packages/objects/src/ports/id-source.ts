import type { ObjectId } from "../model/object-id.ts";

/** Mints ids for new objects: UUIDv7, each greater than the one before (specification v0 §4.1). */
export interface IdSource {
  next(): ObjectId;
}
