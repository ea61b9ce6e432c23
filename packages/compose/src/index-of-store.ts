import { type ObjectStore, StoreError } from "@self-context-manager/core";
import type { SearchIndex } from "@self-context-manager/objects";

import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";

/** Digits of the identity: enough that two stores at one place never have the same. */
const identityDigits = 24;

/**
 * Returns an index that answers only for this store. Its position begins with the identity of the store: the first version
 * that it was given, and the file that it is in. An index of another store, such as one that was deleted or
 * replaced by an import, is empty for this one, and cleared before something is added.
 *
 * @param file The file or folder of the store; undefined if it has none on this machine.
 */
export async function indexOfStore(
  index: SearchIndex,
  store: ObjectStore,
  file: string | undefined,
): Promise<SearchIndex> {
  const place = await placeOf(file);
  let known: string | undefined;

  /** The identity of the store; undefined as long as it is empty, because then nothing is known of it. */
  async function identity(): Promise<string | undefined> {
    if (known !== undefined) return known;
    const { versions } = await store.changesSince(undefined, { limit: 1 });
    const [first] = versions;
    if (first === undefined) return undefined;
    const { body, version, hashes, at } = first;
    const text = JSON.stringify([
      body.id,
      version,
      hashes.object_hash,
      at.tx_id,
      at.tx_time,
      place,
    ]);
    const hash = createHash("sha256").update(text).digest("hex");
    known = hash.slice(0, identityDigits);
    return known;
  }

  /** The position in this store; undefined if the index is empty or of another store. */
  async function position(): Promise<string | undefined> {
    const own = await identity();
    const [owner, reached] = ((await index.position()) ?? "").split(" ");
    return own === undefined || owner !== own ? undefined : reached;
  }

  /** Refuses to replace the index of a store that has taken the place of this one. */
  async function checkPlace(): Promise<void> {
    if (place === (await placeOf(file))) return;
    throw new StoreError(
      "STORE_LOST",
      `${file} is no longer the store that was opened, so its search index is not changed; open the store again`,
    );
  }

  return {
    position,
    async add(texts, reached) {
      const own = await identity();
      if (own === undefined) throw new TypeError("a store without versions has no texts");
      if ((await position()) === undefined && (await index.position()) !== undefined) {
        await checkPlace();
        await index.clear();
      }
      await index.add(texts, `${own} ${reached}`);
    },
    search: async (query) => ((await position()) === undefined ? [] : await index.search(query)),
    async clear() {
      await checkPlace();
      await index.clear();
    },
    [Symbol.asyncDispose]: async () => await index[Symbol.asyncDispose](),
  };
}

/** Distinguishes a file from another one at its path: a node is used again, a time of creation is not. */
async function placeOf(file: string | undefined): Promise<string> {
  if (file === undefined) return "";
  try {
    const { ino, birthtimeNs } = await stat(file, { bigint: true });
    return `${ino} ${birthtimeNs}`;
  } catch {
    // A store whose file is gone is a matter of the store; its index is of no file.
    return "gone";
  }
}
