import type { JsonObject } from "@self-context-manager/objects";
import type { UseKey } from "../../policy/activation-policy.ts";
import type { EpochEnd, EpochPlace } from "../../view/layout.ts";
import type { ViewRecord } from "../../view/view-record.ts";

/** What an epoch layout remembers from call to call, beside the entries. */
export type EpochMemory = {
  /** The epoch, from 1. */
  readonly epoch: number;
  /** Calls of the epoch so far. */
  readonly calls: number;
  readonly ended_by?: EpochEnd;
  /** What left at the end of the epoch before. */
  readonly left: readonly UseKey[];
  /** The call of the epoch at which something in view died, by its place: `12`, or `12.0` for a call's arguments. */
  readonly died: Readonly<Record<string, number>>;
  /** Tokens of the chat with every output in its place, as it came. */
  readonly plain_tokens: number;
  /** What stands in place of replaced turns, so that a new summary is noticed. */
  readonly compaction?: string;
  /** The budget that whole messages had to leave for. */
  readonly short_for?: number;
  /** Active objects that there was no room to show more of. */
  readonly scarce?: readonly UseKey[];
};

export const firstMemory: EpochMemory = { epoch: 1, calls: 0, left: [], died: {}, plain_tokens: 0 };

/** The memory of a record that an epoch layout made. */
export function epochMemory(record: ViewRecord): EpochMemory {
  const { died, ...rest } = record.memory as unknown as StoredMemory;
  return { ...rest, died: Object.fromEntries(died.map(readDeath)) };
}

/** The memory as it is recorded. */
export function recordedMemory({ died, ...rest }: EpochMemory): JsonObject {
  const rows = Object.entries(died).map(([place, call]) => `${place}@${call}`);
  return { ...rest, died: rows } satisfies StoredMemory;
}

/** What died is recorded in rows, `12@3`: a list that gains one is a shorter delta than an object that does. */
type StoredMemory = Omit<EpochMemory, "died"> & { readonly died: readonly string[] };

function readDeath(row: string): readonly [string, number] {
  const at = row.lastIndexOf("@");
  return [row.slice(0, at), Number(row.slice(at + 1))];
}

/** Returns the epoch that a recorded view belongs to; undefined for a record of another layout. */
export function epochOf(record: ViewRecord): EpochPlace | undefined {
  if (record.layout !== "epoch") return undefined;
  const { epoch, calls, ended_by: endedBy, left } = epochMemory(record);
  return { number: epoch, calls, ...(endedBy === undefined ? {} : { endedBy }), left };
}
