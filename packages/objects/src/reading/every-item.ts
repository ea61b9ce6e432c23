import { defined } from "../model/defined.ts";
import type { Page } from "../ports/object-store.ts";

/** Yields the items of an answer in pages. A page is read when the items before it were taken. */
export async function* everyItem<Item>(
  read: (place: { readonly after?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let after: string | undefined;
  do {
    const page = await read(defined({ after }));
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

/** Returns the items of an answer in pages. */
export async function allItems<Item>(
  read: (place: { readonly after?: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of everyItem(read)) items.push(item);
  return items;
}
