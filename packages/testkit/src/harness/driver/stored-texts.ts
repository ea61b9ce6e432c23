import type { ObjectStore } from "@self-context-manager/objects";

/** Returns every version in a store, each as JSON. */
export async function storedTexts(store: ObjectStore): Promise<readonly string[]> {
  const texts: string[] = [];
  let position: string | undefined;
  for (;;) {
    const { versions, position: next } = await store.changesSince(position, { limit: 1_000 });
    const names = versions.map(({ body, version }) => [body.id, version] as const);
    for (const [id, version] of names) texts.push(JSON.stringify(await store.get(id, { version })));
    if (versions.length === 0 || next === position) return texts;
    position = next;
  }
}
