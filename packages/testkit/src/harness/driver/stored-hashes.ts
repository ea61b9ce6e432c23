import { isJsonObject, type ObjectStore } from "@self-context-manager/objects";

/** Returns the hashes of requests that a store has with their answers, in the order of the calls of each session. */
export async function storedHashes(store: ObjectStore): Promise<readonly string[]> {
  const { items } = await store.find({ where: { type: "chat" }, limit: 100 });
  const stored = await store.getMany(items.map(({ body }) => body.id));
  const hashes: string[] = [];
  JSON.stringify(stored, (_name, value: unknown) => {
    const hash = isJsonObject(value) ? value["payload_hash"] : undefined;
    if (typeof hash === "string") hashes.push(hash);
    return value;
  });
  return hashes;
}
