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
  /** Its short name in this session (decision D45). */
  readonly handle: string;
  readonly stored: StoredMetadata;
  /** What the session object holds of it: one frozen row for ever, so that storing sees at once what is new. */
  readonly row: PoolRow;
}

/** A row of the stored pool; of a tool's result it holds the host's key, which another session may not share. */
export type PoolRow = { readonly id: ObjectId; readonly handle: string; readonly key?: string };
