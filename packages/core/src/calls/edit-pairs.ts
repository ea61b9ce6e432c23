import { isJsonObject, type JsonValue } from "@self-context-manager/objects";

/** A replacement of an edit: the text to find, and the text that replaces its first place or all places. */
export interface EditPair {
  readonly find: string;
  readonly put: string;
  readonly isForAll: boolean;
}

/** The usual names of the two arguments of an edit: the text to find and the text that replaces it. */
const pairNames: readonly (readonly [string, string])[] = [
  ["oldText", "newText"],
  ["old_string", "new_string"],
  ["oldString", "newString"],
  ["old_str", "new_str"],
];

/** Whether an argument of this name is the text that an edit finds and replaces. */
export function isTextToFind(name: string): boolean {
  return pairNames.some(([findName]) => findName === name);
}

/** Returns the replacements that arguments describe, in order. */
export function pairsIn(value: JsonValue | undefined): readonly EditPair[] {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(pairsIn);
  if (!isJsonObject(value)) return [];
  const isForAll = value["replace_all"] === true || value["replaceAll"] === true;
  const own = pairNames.flatMap(([findName, putName]): readonly EditPair[] => {
    const [find, put] = [value[findName], value[putName]];
    return typeof find === "string" && find !== "" && typeof put === "string"
      ? [{ find, put, isForAll }]
      : [];
  });
  return [...own, ...Object.values(value).flatMap(pairsIn)];
}
