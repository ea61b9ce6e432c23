import type { ObjectId, StoredVersion } from "@self-context-manager/objects";

/** A latest version together with what the next one is written against. */
export interface Head {
  /** The number of the object in this file. */
  readonly key: number;
  readonly stored: StoredVersion;
  /** The version from which its deltas count. */
  readonly base: number;
  /** Characters of the deltas since the base. */
  readonly weight: number;
  /** Characters of its bulk fields. */
  readonly size: number;
  /** The version whose row has the metadata: this one, or an earlier one with the same. */
  readonly shown: number;
}

/** Keeps the bodies that were used last, so that a long document is neither read nor parsed for each new version. */
export interface BodyCache {
  get(id: ObjectId): Head | undefined;
  set(head: Head): void;
}

/** Holds bodies of this many characters together; metadata counts as much as a small body. */
export function bodyCache(capacity: number): BodyCache {
  const heads = new Map<ObjectId, Head>();
  let held = 0;

  function drop(id: ObjectId, head: Head): void {
    heads.delete(id);
    held -= costOf(head);
  }

  return {
    get(id) {
      const head = heads.get(id);
      if (head === undefined) return undefined;
      heads.delete(id);
      heads.set(id, head);
      return head;
    },
    set(head) {
      const id = head.stored.body.id;
      const former = heads.get(id);
      if (former !== undefined) drop(id, former);
      heads.set(id, head);
      held += costOf(head);
      for (const [oldest, old] of heads) {
        if (held <= capacity || oldest === id) break;
        drop(oldest, old);
      }
    },
  };
}

function costOf({ size }: Head): number {
  return size + 1000;
}
