import { messageOf, StoreError } from "../errors.ts";

/**
 * Reads items of a store together. If damage hinders that, they are halved until the damaged ones are alone: each of these
 * is given to `onDamaged`, and the results of all others are returned in order.
 */
export async function readAround<Item, Result>(
  items: readonly Item[],
  read: (some: readonly Item[]) => Promise<readonly Result[]>,
  onDamaged: (item: Item, error: StoreError) => void,
): Promise<readonly Result[]> {
  try {
    return await read(items);
  } catch (error) {
    if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
    const [only] = items;
    if (items.length === 1 && only !== undefined) {
      onDamaged(only, error);
      return [];
    }
    const middle = Math.ceil(items.length / 2);
    const first = await readAround(items.slice(0, middle), read, onDamaged);
    return [...first, ...(await readAround(items.slice(middle), read, onDamaged))];
  }
}

/** Returns the damage that an error of a store names, without the place of the store. */
export function damageOf(error: StoreError): string {
  return messageOf(error.cause ?? error);
}
