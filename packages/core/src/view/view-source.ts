import type { ObjectId, StoredMetadata, StoredVersion } from "@self-context-manager/objects";
import type { Compaction } from "../chat/chat-document.ts";
import type { Turn } from "../chat/turn.ts";

/** An object at one version, as a view names it. */
export interface NamedVersion {
  readonly id: ObjectId;
  readonly handle: string;
  readonly stored: StoredVersion | StoredMetadata;
}

/** Where entries find what they name. */
export interface ViewSource {
  readonly turns: readonly Turn[];
  readonly compaction?: Compaction;
  readonly chatHandle: string;
  readonly workspace: string;
  /** An object at a version, with its content if that is shown; undefined where there is none such. */
  object(handle: string, version: number): NamedVersion | undefined;
}
