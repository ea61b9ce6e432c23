import type { ObjectId } from "../model/object-id.ts";
import type { StoredVersion } from "../model/stored-version.ts";

/** The last line of an object. */
export interface RecentLine {
  readonly stored: StoredVersion;
  /** The characters of its last line with a whole version. */
  readonly whole: number;
  /** The characters of the lines with changes since that line. */
  readonly changes: number;
}

/** The last lines of the objects that came last in a file: later lines can contain the changes against them. */
export interface RecentLines {
  get(id: ObjectId): RecentLine | undefined;
  /** Notes a line with a whole version, or with the change against the last line of the object. */
  note(stored: StoredVersion, characters: number, form: "whole" | "change"): void;
}

/**
 * The limits of the characters that are kept, and of the objects that are kept whatever their size. An agent writes its
 * session, chat and view in turn, and some sessions can be open at the same time.
 */
const most = 8_000_000;
const least = 12;

/**
 * Returns the memory that the writer and the reader of an export share the rules of: both count the characters of the
 * lines, so a line never names one that a reader has dropped.
 */
export function recentLines(): RecentLines {
  const lines = new Map<ObjectId, RecentLine>();
  let characters = 0;

  function drop(id: ObjectId): void {
    const line = lines.get(id);
    if (line === undefined) return;
    characters -= line.whole + line.changes;
    lines.delete(id);
  }

  return {
    get: (id) => lines.get(id),
    note(stored, length, form) {
      const { id } = stored.body;
      const before = lines.get(id);
      drop(id);
      const line =
        form === "change" && before !== undefined
          ? { stored, whole: before.whole, changes: before.changes + length }
          : { stored, whole: length, changes: 0 };
      lines.set(id, line);
      characters += line.whole + line.changes;
      for (const oldest of lines.keys()) {
        if (characters <= most || lines.size <= least) break;
        drop(oldest);
      }
    },
  };
}
