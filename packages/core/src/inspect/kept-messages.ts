import {
  defined,
  type JsonValue,
  madeOnce,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import type { Turn } from "../chat/turn.ts";
import { readEntryRow } from "../view/entry-row.ts";
import type { Layout, ViewMessage } from "../view/layout.ts";
import type { ViewEntry } from "../view/view-entry.ts";
import type { ViewRecord } from "../view/view-record.ts";
import type { ViewSource } from "../view/view-source.ts";

/** Keeps the messages of entries for the next views, as long as all that a message was made from is unchanged. */
export interface KeptMessages {
  /** Rebuilds the messages of a record entry by entry. Throws if an entry needs more than itself and its own sources. */
  rebuild(layout: Layout, record: ViewRecord, source: ViewSource): readonly ViewMessage[];
  /** Returns the entry of a stored row, the same one for equal rows. */
  readonly entry: (row: JsonValue) => ViewEntry;
}

/** A message with its sources. Steps and versions are frozen, so equal ones are identical. */
interface Kept {
  readonly message: ViewMessage;
  readonly workspace: string;
  readonly chatHandle: string;
  readonly parts: readonly unknown[];
  readonly versions: readonly UsedVersion[];
}

type UsedVersion = readonly [
  handle: string,
  version: number,
  stored: StoredVersion | StoredMetadata | undefined,
];

export function keptMessages(): KeptMessages {
  const layouts = new Map<Layout, WeakMap<ViewEntry, Kept>>();
  const entries = new Map<JsonValue, ViewEntry>();
  return {
    entry: (row) => madeOnce(entries, row, readEntryRow),
    rebuild(layout, record, source) {
      const known = layouts.get(layout) ?? new WeakMap<ViewEntry, Kept>();
      layouts.set(layout, known);
      return record.entries.map((entry) => {
        const former = known.get(entry);
        if (former !== undefined && isCurrent(former, entry, source)) return former.message;
        const made = rebuildAlone(layout, record, entry, source);
        known.set(entry, made);
        return made.message;
      });
    },
  };
}

/**
 * Rebuilds the message of one entry. The layout gets only this entry, its turn and step, and no memory, so the message
 * cannot depend on anything that is not compared later.
 */
function rebuildAlone(
  layout: Layout,
  record: ViewRecord,
  entry: ViewEntry,
  source: ViewSource,
): Kept {
  const { workspace, chatHandle, compaction } = source;
  const versions: UsedVersion[] = [];
  const alone: ViewSource = {
    turns: turnsOf(entry, source),
    ...defined({ compaction }),
    workspace,
    chatHandle,
    object(handle, version) {
      const found = source.object(handle, version);
      versions.push([handle, version, found?.stored]);
      return found;
    },
  };
  const one = { ...record, entries: [entry], turns: 0, steps: 0, memory: {} };
  const [message] = layout.rebuild(one, alone);
  if (message === undefined) throw new RangeError("an entry has no message");
  return { message, workspace, chatHandle, parts: partsOf(entry, source), versions };
}

function isCurrent(kept: Kept, entry: ViewEntry, source: ViewSource): boolean {
  return (
    kept.workspace === source.workspace &&
    kept.chatHandle === source.chatHandle &&
    kept.versions.every(
      ([handle, version, stored]) => source.object(handle, version)?.stored === stored,
    ) &&
    isSameParts(kept.parts, partsOf(entry, source))
  );
}

function isSameParts(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}

/** Returns the parts of the chat of which the message of an entry can be made, with the names of the turn's fields. */
function partsOf(entry: ViewEntry, { turns, compaction }: ViewSource): readonly unknown[] {
  if (!("turn" in entry)) return [compaction];
  const turn = turns[entry.turn];
  if ("step" in entry) return [compaction, turn?.steps[entry.step]];
  if (turn === undefined) return [compaction];
  const { steps: _others, ...fields } = turn;
  return [compaction, ...Object.entries(fields).flat()];
}

/** Returns the turns with only those parts. */
function turnsOf(entry: ViewEntry, { turns }: ViewSource): readonly Turn[] {
  if (!("turn" in entry)) return [];
  const turn = turns[entry.turn];
  const alone: Turn[] = [];
  if (turn === undefined) return alone;
  if (!("step" in entry)) {
    alone[entry.turn] = { ...turn, steps: [] };
    return alone;
  }
  const steps: Turn["steps"][number][] = [];
  const step = turn.steps[entry.step];
  if (step !== undefined) steps[entry.step] = step;
  alone[entry.turn] = { user: null, timestamp: null, steps };
  return alone;
}
