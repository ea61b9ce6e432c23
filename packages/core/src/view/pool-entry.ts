import type {
  ObjectBody,
  ObjectId,
  ObjectMetadata,
  StoredMetadata,
} from "@self-context-manager/objects";

/** An object with its handle, at one of its versions. */
export interface NamedObject {
  readonly id: ObjectId;
  readonly handle: string;
  readonly stored: { readonly body: ObjectMetadata | ObjectBody; readonly version: number };
}

/** An object of the session's metadata pool. */
export interface PoolEntry {
  readonly id: ObjectId;
  /** Handle of the object in this session (decision D45). */
  readonly handle: string;
  readonly stored: StoredMetadata;
  /**
   * The row of the object in the stored session. It is one frozen object that never changes, so that storing finds new
   * rows at once.
   */
  readonly row: PoolRow;
}

/**
 * A row of the stored pool. For a tool's result it contains the host's message key, which another session may not
 * share. `loaded`: a program has loaded the object as inactive, so no message of the chat names it. `linked`: the object
 * joined because the document with this handle links to it (decision D64). `gone`: the object has left the pool, and only
 * its handle is kept.
 */
export type PoolRow = {
  readonly id: ObjectId;
  readonly handle: string;
  readonly key?: string;
  readonly loaded?: true;
  readonly linked?: string;
  readonly gone?: true;
};
