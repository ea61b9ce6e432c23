import {
  type ArgumentStub,
  contentParts,
  type ShownPart,
  type ViewEntry,
} from "../views/view-entry.ts";

/** What of each object is in view, in the order of the view. */
export interface ShownParts {
  of(handle: string): readonly ShownPart[];
  /** Whether a result stands as it came. */
  isBare(handle: string): boolean;
  /** How many calls that changed a file stand below its content with all that they wrote. */
  changesOf(handle: string): number;
  /** Whether there was no room to show more of an object; it is not tried again until it is asked for. */
  isScarce(handle: string): boolean;
  add(entry: ViewEntry): void;
}

export function shownParts(
  entries: readonly ViewEntry[],
  scarce: readonly string[] = [],
): ShownParts {
  const parts = new Map<string, ShownPart[]>();
  const bare = new Set<string>();
  const changes = new Map<string, number>();
  let stubs: readonly ArgumentStub[] | undefined;
  const add = (entry: ViewEntry): void => {
    if (entry.is === "assistant") stubs = entry.stubs;
    if (entry.is === "result" && entry.as === "bare" && entry.of !== undefined) bare.add(entry.of);
    for (const part of contentParts(entry)) {
      const known = parts.get(part.of);
      if (known === undefined) parts.set(part.of, [part]);
      else known.push(part);
      changes.delete(part.of);
    }
    if (entry.is !== "result" || entry.replaces === undefined) return;
    if (stubs?.some(({ call }) => call === entry.call) === true) return;
    const { of } = entry.replaces;
    changes.set(of, (changes.get(of) ?? 0) + 1);
  };
  for (const entry of entries) add(entry);
  const isScarce = new Set(scarce);
  return {
    of: (handle) => parts.get(handle) ?? none,
    isBare: (handle) => bare.has(handle),
    isScarce: (handle) => isScarce.has(handle),
    changesOf: (handle) => changes.get(handle) ?? 0,
    add,
  };
}

const none: readonly ShownPart[] = [];
