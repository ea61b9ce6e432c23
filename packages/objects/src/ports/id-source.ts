import type { ObjectId } from "../model/object-id.ts";

/** Creates ids for new objects: UUIDv7, each greater than the previous one, so that ids sort by creation. */
export interface IdSource {
  next(): ObjectId;
}
