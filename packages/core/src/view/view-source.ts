import type { ObjectId, StoredMetadata, StoredVersion } from "@self-context-manager/objects";
import type { Compaction } from "../chat/chat-body.ts";
import type { Turn } from "../chat/turn.ts";

/** An object at one version, named as in a view. */
export interface NamedVersion {
  readonly id: ObjectId;
  readonly handle: string;
  readonly stored: StoredVersion | StoredMetadata;
}

/** The source in which entries find the turns and versions that they name. */
export interface ViewSource {
  readonly turns: readonly Turn[];
  readonly compaction?: Compaction;
  readonly chatHandle: string;
  readonly workspace: string;
  /** Returns an object at a version, with its content if that is shown, or undefined if the source does not have it. */
  object(handle: string, version: number): NamedVersion | undefined;
}
