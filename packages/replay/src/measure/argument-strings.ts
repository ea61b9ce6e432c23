/** A string in the arguments of a call, with the name of its argument. */
export interface NamedString {
  readonly name: string;
  readonly text: string;
}

/** Returns the strings in arguments, each with the name of its argument. */
export function stringsIn(value: unknown, name = ""): readonly NamedString[] {
  if (typeof value === "string") return [{ name, text: value }];
  if (Array.isArray(value)) return value.flatMap((one) => stringsIn(one, name));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, one]) => stringsIn(one, key));
  return [];
}

/** Returns the strings in arguments, joined by line feeds: the text of arguments as an object. */
export function textOfArguments(value: unknown): string {
  return stringsIn(value)
    .map(({ text }) => text)
    .join("\n");
}
