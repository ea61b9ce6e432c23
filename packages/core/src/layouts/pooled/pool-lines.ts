import { poolLine } from "../../render/reference-line.ts";
import type { VersionName } from "../../view/describe-entries.ts";
import type { LayoutInput } from "../../view/layout.ts";
import type { NamedObject, PoolEntry } from "../../view/pool-entry.ts";

/** A line of the metadata pool. It never changes. */
export interface PoolLine {
  /** `handle@version` of the version that it shows. */
  readonly name: string;
  readonly handle: string;
  readonly text: string;
}

/** The lines of the metadata pool in order. Lines are only added, and the last line of a handle is its current one. */
export interface PoolLines {
  readonly lines: readonly PoolLine[];
  /** The names of the lines. The list of the last view is returned if nothing was added. */
  readonly names: readonly string[];
  /** `handle@version` of the objects that have a newer version, which would have the same line. */
  readonly newer: readonly string[];
}

/** The lines of sent views, by their list of names. They are not rendered again, so their versions need not be loaded. */
const keptLines = new WeakMap<readonly string[], readonly PoolLine[]>();

/** Whether this process has the lines with these names. */
export function hasLines(names: readonly string[]): boolean {
  return keptLines.has(names);
}

/** Returns the `handle@version` of an object. */
function nameOf({ handle, stored }: NamedObject): string {
  return `${handle}@${stored.version}`;
}

/** Returns the handle and the version of a name. */
export function readName(name: string): VersionName {
  const at = name.lastIndexOf("@");
  return { handle: name.slice(0, at), version: Number(name.slice(at + 1)) };
}

/** Returns the line of an object. It is kept for the object's frozen version, because many views are rebuilt with it. */
export function lineFor(object: NamedObject, workspace: string): PoolLine {
  const { handle, stored } = object;
  const known = versionLines.get(stored);
  if (known?.line.handle === handle && known.workspace === workspace) return known.line;
  const text = poolLine(object, workspace, { hasFileType: true });
  const line = { name: nameOf(object), handle, text };
  if (Object.isFrozen(stored) && Object.isFrozen(stored.body))
    versionLines.set(stored, { workspace, line });
  return line;
}

const versionLines = new WeakMap<
  NamedObject["stored"],
  { readonly workspace: string; readonly line: PoolLine }
>();

/**
 * Returns the lines of the next view: those of the last view, and after them a line for each object that has none or
 * whose line has changed. `before`: the names of the lines of the last view, which was made in the same workspace.
 */
export function continuedLines(
  input: Pick<LayoutInput, "pool" | "versions" | "workspace">,
  before: readonly string[] | undefined,
): PoolLines {
  const entries = new Map([...input.pool.values()].map((entry) => [entry.handle, entry]));
  const former = before === undefined ? [] : linesNamed(before, input, entries);
  const current = new Map(former.map((line) => [line.handle, line]));
  const added: PoolLine[] = [];
  const newer: string[] = [];
  for (const entry of entries.values()) {
    const known = current.get(entry.handle);
    if (known?.name === nameOf(entry)) continue;
    const line = lineFor(entry, input.workspace);
    if (known?.text === line.text) newer.push(line.name);
    else added.push(line);
  }
  const isSame = added.length === 0 && former.length === before?.length;
  const lines = isSame ? former : [...former, ...added];
  const names = isSame ? before : lines.map(({ name }) => name);
  keptLines.set(names, lines);
  return { lines, names, newer };
}

/** Returns lines by their names, without those of objects that the pool no longer has and of versions that are lost. */
function linesNamed(
  names: readonly string[],
  { versions, workspace }: Pick<LayoutInput, "versions" | "workspace">,
  entries: ReadonlyMap<string, PoolEntry>,
): readonly PoolLine[] {
  const kept = keptLines.get(names);
  if (kept !== undefined) {
    const isKnown = ({ handle }: PoolLine): boolean => entries.has(handle);
    return kept.every(isKnown) ? kept : kept.filter(isKnown);
  }
  return names.flatMap((name) => {
    const { handle } = readName(name);
    const entry = entries.get(handle);
    if (entry === undefined) return [];
    const stored = nameOf(entry) === name ? entry.stored : versions?.get(name);
    return stored === undefined ? [] : [lineFor({ id: entry.id, handle, stored }, workspace)];
  });
}
