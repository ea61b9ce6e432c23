import type { ObjectId } from "@self-context-manager/objects";

/** A version of an object as the model of a history knows it. */
export interface KnownVersion {
  readonly number: number;
  /** Words that nothing else has: those of the content, of the name and of the path. */
  readonly words: ReadonlySet<string>;
  /** The path of the file, or the last one; undefined for an object without one. */
  readonly path?: string;
  readonly nickname?: string;
  /** Whether the file was deleted. */
  readonly isMissing?: boolean;
  /** Whether the user has shared it. */
  readonly hasField: boolean;
  /** Whether its content has the tag. */
  readonly hasTag: boolean;
}

/** An object as the model of a history knows it. */
export interface KnownObject {
  readonly id: ObjectId;
  readonly type: "file" | "note" | "toolcall" | "user" | "chat";
  /** The folder of the session that made it; undefined if no session makes objects of the type alone. */
  readonly maker?: string;
  readonly versions: KnownVersion[];
  /** The first version that a session of a folder saw, by the folder. */
  readonly seen: Map<string, number>;
}

/**
 * Whether the sessions of a folder reach a version of an object; the newest one by default. It is decided by what happened,
 * and not by what is stored.
 */
export function reaches(
  folder: string,
  { maker, versions, seen }: KnownObject,
  version: KnownVersion | undefined = versions.at(-1),
): boolean {
  const newest = versions.at(-1);
  if (version === undefined || newest === undefined) return false;
  if (maker !== undefined) return maker === folder || newest.hasField;
  const first = seen.get(folder) ?? Number.POSITIVE_INFINITY;
  const isReached =
    isIn(folder, newest) || newest.hasField || newest.hasTag || first <= newest.number;
  if (!isReached || version === newest) return isReached;
  return isIn(folder, version) || version.hasField || first <= version.number;
}

function isIn(folder: string, { path }: KnownVersion): boolean {
  return path?.startsWith(`${folder}/`) === true;
}

/** Returns the words that sessions of a folder may read. */
export function wordsWithin(folder: string, objects: Iterable<KnownObject>): ReadonlySet<string> {
  const words = new Set<string>();
  for (const object of objects) {
    for (const version of object.versions) {
      if (!reaches(folder, object, version)) continue;
      for (const word of version.words) words.add(word);
    }
  }
  return words;
}

const letters = "bcdfghjklmnpqrst";

/** Returns a word that no other number has. No two of them are alike. */
export function wordOf(number: number): string {
  const base = letters.length;
  const digits = [number / base / base, number / base, number].map((part) =>
    letters.charAt(Math.floor(part) % base),
  );
  return digits.map((digit) => digit.repeat(3)).join("");
}
