import type { ObjectStore } from "@self-context-manager/objects";

/** Returns the newest versions of all system prompts in a store. */
export async function storedPrompts(store: ObjectStore): Promise<readonly string[]> {
  const { items } = await store.find({ where: { type: "system_prompt" }, limit: 100 });
  const stored = await store.getMany(items.map(({ body }) => body.id));
  return stored.flatMap((one) => one?.body.content ?? []);
}
