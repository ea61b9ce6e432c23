import { bareHandles, marked } from "./entry-groups.ts";
import {
  type ArgumentStub,
  contentParts,
  partsOf,
  type ShownPart,
  type ViewEntry,
} from "./view-entry.ts";

/** The parts of each object that are in view, in the order of the view. */
export interface ShownParts {
  of(handle: string): readonly ShownPart[];
  /** Whether a result is shown in its original form. */
  isBare(handle: string): boolean;
  /** Returns the calls that changed a file, are below its content and still show everything that they wrote. */
  changesOf(handle: string): readonly string[];
  /** Returns all calls that `changesOf` has for a file. */
  callsNeeded(): ReadonlySet<string>;
  /** Whether the budget did not allow to show more of an object. No more is shown until it is requested. */
  isScarce(handle: string): boolean;
  add(entry: ViewEntry): void;
}

export function shownParts(
  entries: readonly ViewEntry[],
  scarce: readonly string[] = [],
): ShownParts {
  const parts = new Map<string, ShownPart[]>();
  const bare = new Set<string>();
  const changes = new Map<string, string[]>();
  let stubs: readonly ArgumentStub[] | undefined;
  const add = (entry: ViewEntry): void => {
    if (entry.type === "assistant") stubs = entry.stubs;
    if (entry.type === "result" && entry.form === "bare" && entry.of !== undefined)
      bare.add(entry.of);
    for (const part of contentParts(entry)) {
      const known = parts.get(part.of);
      if (known === undefined) parts.set(part.of, [part]);
      else known.push(part);
      changes.delete(part.of);
    }
    if (entry.type !== "result" || entry.replaces === undefined || entry.of === undefined) return;
    if (stubs?.some(({ call }) => call === entry.call) === true) return;
    const { of } = entry.replaces;
    const calls = changes.get(of);
    if (calls === undefined) changes.set(of, [entry.of]);
    else calls.push(entry.of);
  };
  const bareBefore = bareHandles(entries);
  for (const index of marked(entries, "shown")) {
    const entry = entries[index] as ViewEntry;
    if (entry.type === "result" && entry.replaces !== undefined)
      stubs = stubsBefore(entries, index);
    add(entry);
  }
  stubs = stubsBefore(entries, entries.length);
  const isScarce = new Set(scarce);
  return {
    of: (handle) => parts.get(handle) ?? none,
    isBare: (handle) => bare.has(handle) || bareBefore.some((handles) => handles.has(handle)),
    isScarce: (handle) => isScarce.has(handle),
    changesOf: (handle) => changes.get(handle) ?? noCalls,
    callsNeeded: () => new Set([...changes.values()].flat()),
    add,
  };
}

/** Returns the argument stubs of the last answer before an index. */
function stubsBefore(
  entries: readonly ViewEntry[],
  before: number,
): readonly ArgumentStub[] | undefined {
  for (let index = before - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (entry?.type === "assistant") return entry.stubs;
  }
  return undefined;
}

const none: readonly ShownPart[] = [];

const noCalls: readonly string[] = [];

/**
 * Returns the lines that a result has beside its output: those of files that its tool has read and that are too large to
 * be stored.
 */
export function linesBesideOutput(entry: ViewEntry): readonly ShownPart[] {
  if (entry.type !== "result") return [];
  const isShown = contentParts(entry).some(({ of }) => of === entry.of);
  return isShown ? partsOf(entry).filter(({ form }) => form === "line") : [];
}

/** Returns parts without duplicates. */
export function once(parts: readonly ShownPart[]): readonly ShownPart[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    const name = JSON.stringify(part);
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}
