import type { JsonValue } from "@self-context-manager/objects";

import type { JsonDocument } from "../src/client/node-client.ts";
import { type ConnectionOptions, storeParts } from "../src/store-parts.ts";

/**
 * Changes one value of one document of a store, or deletes the document, with a transaction that the store does not know.
 * Disposal puts the document back.
 */
export async function damageDocument(
  options: ConnectionOptions & { readonly space: string },
  random: () => number,
): Promise<AsyncDisposable> {
  const { client } = storeParts(options);
  const pick = <Item>(items: readonly Item[]): Item | undefined =>
    items[Math.floor(random() * items.length)];
  const found: string[] = [];
  for (const attribute of ["sum", "text", "packed"]) {
    const query = `{:find [d] :where [[d :${options.space}/${attribute}]]}`;
    for (const [id] of await client.query(query, [], client.budget())) found.push(String(id));
  }
  const id = pick(found.sort()) ?? "";
  const document = (await client.entity(id, client.budget())) as JsonDocument;
  const name = pick(Object.keys(document).sort()) ?? "";
  const isDeleted = name === "xt/id";
  await client.submit(
    isDeleted
      ? [["delete", id]]
      : [["put", { ...document, [name]: changed(document[name] ?? null, random) }]],
    client.budget(),
  );
  return {
    async [Symbol.asyncDispose]() {
      await client.submit([["put", document]], client.budget());
    },
  };
}

function changed(value: JsonValue, random: () => number): JsonValue {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (typeof value === "string") {
    const at = Math.floor(random() * value.length);
    return `${value.slice(0, at)}?${value.slice(at + 1)}`;
  }
  if (Array.isArray(value)) return value.slice(1);
  return null;
}
