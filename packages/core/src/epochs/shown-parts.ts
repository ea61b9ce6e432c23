import { contentParts, type ShownPart, type ViewEntry } from "../views/view-entry.ts";

/** What of each object is in view, in the order of the view. */
export interface ShownParts {
  of(handle: string): readonly ShownPart[];
  /** Whether a result stands as it came. */
  isBare(handle: string): boolean;
  add(entry: ViewEntry): void;
}

export function shownParts(entries: readonly ViewEntry[]): ShownParts {
  const parts = new Map<string, ShownPart[]>();
  const bare = new Set<string>();
  const add = (entry: ViewEntry): void => {
    if (entry.is === "result" && entry.as === "bare" && entry.of !== undefined) bare.add(entry.of);
    for (const part of contentParts(entry)) {
      const known = parts.get(part.of);
      if (known === undefined) parts.set(part.of, [part]);
      else known.push(part);
    }
  };
  for (const entry of entries) add(entry);
  return { of: (handle) => parts.get(handle) ?? none, isBare: (handle) => bare.has(handle), add };
}

const none: readonly ShownPart[] = [];
