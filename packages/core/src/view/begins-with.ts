/** Whether a list begins with all items of another. A loop, because it runs over all messages of each view. */
export function beginsWith<Item>(list: readonly Item[], beginning: readonly Item[]): boolean {
  for (let index = 0; index < beginning.length; index += 1)
    if (beginning[index] !== list[index]) return false;
  return true;
}
