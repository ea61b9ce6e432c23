/** How many changes of one character a near name may be away. */
const farthest = 2;

/** Returns the names that a text with a typing mistake may mean: those that differ little, or contain it. */
export function nearNames(text: string, names: readonly string[]): readonly string[] {
  return names.filter(
    (name) =>
      changesBetween(text, name) <= farthest ||
      (text.length > 2 && (name.includes(text) || text.includes(name))),
  );
}

/** The number of characters to insert, remove or replace until one text is the other. */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 0; index < one.length; index += 1) {
    const above = row;
    row = [index + 1];
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (above[at - 1] ?? 0) + (other[at - 1] === one[index] ? 0 : 1);
      row.push(Math.min(replaced, (above[at] ?? 0) + 1, (row[at - 1] ?? 0) + 1));
    }
  }
  return row.at(-1) ?? 0;
}
