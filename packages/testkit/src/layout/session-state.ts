import type {
  Compaction,
  PoolEntry,
  Turn,
  UseKey,
  ViewRecord,
} from "@self-context-manager/core/layout";
import type { ThinkingBinding } from "@self-context-manager/core/host";
import type { ViewMessage } from "@self-context-manager/core";
import {
  defined,
  type LineRange,
  type ObjectId,
  type StoredVersion,
} from "@self-context-manager/objects";

import { entryOf, type ResultFacts, type Versions } from "./session-objects.ts";
import type { RangeScript } from "./session-script.ts";

interface Activation {
  /** The version of a file that is shown; undefined: the newest. */
  readonly version?: number;
  readonly ranges?: readonly LineRange[];
  readonly isAsked: boolean;
}

/** A result that arrives after a later message. */
interface LateResult {
  readonly handle: string;
  readonly facts: ResultFacts;
}

/** The last sent view: its record, its messages, and the compaction and the budget of that time. */
interface SentView {
  readonly call: number;
  readonly isAnswered: boolean;
  readonly record: ViewRecord;
  readonly messages: readonly ViewMessage[];
  readonly compaction: Compaction | undefined;
  readonly budget: number | undefined;
  readonly model: ModelNow;
  readonly leftOut: readonly string[];
}

/** What the thinking of the model in use is bound to besides the messages. */
export interface ModelNow {
  readonly thinking: ThinkingBinding;
  /** Names the system prompt and the tools. */
  readonly head: string;
}

/**
 * A session between two calls. It is copied and never changed in place, so that going back finds the earlier state.
 */
export interface SessionNow {
  readonly turns: readonly Turn[];
  readonly compaction?: Compaction;
  /** By handle, in the order in which the objects joined. */
  readonly pool: ReadonlyMap<string, PoolEntry>;
  /** By handle, in order of activation. */
  readonly active: ReadonlyMap<string, Activation>;
  readonly pinned: ReadonlySet<string>;
  readonly recent: readonly UseKey[];
  readonly late: readonly LateResult[];
  /** The messages that an extension leaves out, as rows. */
  readonly leftOut: readonly string[];
  readonly budget?: number;
  readonly factor: number;
  /** Whether active files keep the version that the model got. */
  readonly keepsVersions: boolean;
  readonly model: ModelNow;
  readonly sent?: SentView;
}

export const emptySession: SessionNow = {
  turns: [],
  pool: new Map(),
  active: new Map(),
  pinned: new Set(),
  recent: [],
  late: [],
  leftOut: [],
  factor: 1,
  keepsVersions: false,
  model: { thinking: "free", head: "0" },
};

export function used(now: SessionNow, key: UseKey): SessionNow {
  return { ...now, recent: [...now.recent.filter((one) => one !== key), key] };
}

export function withEntry(now: SessionNow, entry: PoolEntry): SessionNow {
  return { ...now, pool: new Map(now.pool).set(entry.handle, entry) };
}

export function activated(
  now: SessionNow,
  { handle, stored }: PoolEntry,
  range: LineRange | undefined,
  isAsked: boolean,
): SessionNow {
  const known = now.active.get(handle);
  const active = new Map(now.active);
  if (range === undefined && known !== undefined) active.delete(handle);
  const isFile = stored.body.type === "file";
  const version = now.keepsVersions && isFile ? stored.version : undefined;
  const isSame = known !== undefined && known.version === version;
  const shown = joined(isSame ? known.ranges : [], range);
  active.set(handle, {
    ...defined({ version, ranges: shown }),
    isAsked: isAsked || known?.isAsked === true,
  });
  return used({ ...now, active }, handle);
}

/** Returns ranges with one more, counted line by line. Undefined is the whole text. */
function joined(
  ranges: readonly LineRange[] | undefined,
  range: LineRange | undefined,
): readonly LineRange[] | undefined {
  if (ranges === undefined || range === undefined) return undefined;
  const lines = new Set([...ranges, range].flatMap(linesOf));
  const starts = [...lines].filter((line) => !lines.has(line - 1)).toSorted((a, b) => a - b);
  return starts.map((from) => {
    let to = from;
    while (lines.has(to + 1)) to += 1;
    return { from, to };
  });
}

function linesOf({ from, to }: LineRange): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** Returns the session after the model has changed a file. An active file that it knows shows the new version. */
export function changedByModel(
  now: SessionNow,
  { handle, stored }: PoolEntry,
  before: number,
): SessionNow {
  const known = now.active.get(handle);
  if (known?.version !== before) return now;
  return { ...now, active: new Map(now.active).set(handle, { ...known, version: stored.version }) };
}

/**
 * Returns the session after an object was deactivated and unpinned. If the model or the user did it, the object also
 * leaves the order of use.
 */
export function deactivated(now: SessionNow, handle: string, isForgotten: boolean): SessionNow {
  const active = new Map(now.active);
  const pinned = new Set(now.pinned);
  active.delete(handle);
  pinned.delete(handle);
  const recent = isForgotten ? now.recent.filter((key) => key !== handle) : now.recent;
  return { ...now, active, pinned, recent };
}

export function pinnedNow(now: SessionNow, handle: string, isPinned: boolean): SessionNow {
  const pinned = new Set(now.pinned);
  if (isPinned) pinned.add(handle);
  else pinned.delete(handle);
  return { ...now, pinned };
}

/** Returns the newest version of an object, with its content. */
export function newest(versions: Versions, handle: string): StoredVersion | undefined {
  let found: StoredVersion | undefined;
  for (let version = 1; versions.has(`${handle}@${version}`); version += 1)
    found = versions.get(`${handle}@${version}`);
  return found;
}

/** Returns the session with its sets unchanged and with the newest versions of its objects, as after going back. */
export function refreshed(now: SessionNow, versions: Versions): SessionNow {
  const pool = new Map<string, PoolEntry>();
  for (const [handle, entry] of now.pool) {
    const stored = newest(versions, handle);
    pool.set(handle, stored === undefined ? entry : entryOf(handle, stored));
  }
  return { ...now, pool };
}

/** Returns the lines of a text that a script selects. `undefined`: all lines. */
export function scriptRange(script: RangeScript | undefined, text: string): LineRange | undefined {
  const count = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  if (script === undefined || text === "" || count < 2) return undefined;
  const from = 1 + Math.floor((script.from / 100) * count);
  const to = Math.min(count, from + Math.floor((script.length / 100) * count));
  return from === 1 && to === count ? undefined : { from, to };
}

export function idsOf(pool: ReadonlyMap<string, PoolEntry>): ReadonlyMap<ObjectId, PoolEntry> {
  return new Map([...pool.values()].map((entry) => [entry.id, entry]));
}
