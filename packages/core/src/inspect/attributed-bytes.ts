import type { ObjectId } from "@self-context-manager/objects";

/** The bytes in the file of a store. */
export interface StoredBytes {
  /** The bytes of each object's rows, without the texts that are stored apart. */
  readonly objects: ReadonlyMap<ObjectId, { readonly bytes: number }>;
  /** The texts that are stored apart, each once, with the objects that have it. The first one had it first. */
  readonly texts: readonly { readonly bytes: number; readonly holders: readonly ObjectId[] }[];
}

/** Returns the bytes of each object. A text of several objects is counted once, with the object that had it first. */
export function attributedBytes({ objects, texts }: StoredBytes): ReadonlyMap<ObjectId, number> {
  const bytes = new Map([...objects].map(([id, rows]) => [id, rows.bytes] as const));
  for (const { bytes: more, holders } of texts) {
    const [first] = holders;
    if (first !== undefined) bytes.set(first, (bytes.get(first) ?? 0) + more);
  }
  return bytes;
}
