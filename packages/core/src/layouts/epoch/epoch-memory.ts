import { defined, type JsonObject } from "@self-context-manager/objects";
import type { UseKey } from "../../policy/activation-policy.ts";
import type { EpochEnd, EpochPlace, LayoutInput } from "../../view/layout.ts";
import type { ViewRecord } from "../../view/view-record.ts";

/** The data that an epoch layout keeps from call to call, in addition to the entries. */
export type EpochMemory = {
  /** Number of the epoch, from 1. */
  readonly epoch: number;
  /** Number of calls in the epoch so far. */
  readonly calls: number;
  readonly ended_by?: EpochEnd;
  /** Objects and arguments that left the view when the last epoch ended. */
  readonly left: readonly UseKey[];
  /**
   * For each dead part of the view, the call of the epoch at which it became dead. The key is its place: `12`, or
   * `12.0` for the arguments of a call.
   */
  readonly died: Readonly<Record<string, number>>;
  /** The entries of the last view after which its request had a breakpoint, in order. The last one ends it. */
  readonly marks?: readonly number[];
  /** The number of entries of the epoch's first view. Only the ends of later prompts were sent in this epoch. */
  readonly first_end?: number;
  /** Tokens of the chat with every output kept where it arrived. */
  readonly plain_tokens: number;
  /** The messages that the view leaves out, as rows of `LeftOut`. */
  readonly left_out?: readonly string[];
  /** The turns of which no steps were to be folded, by which a new wish is noticed. */
  readonly unfolded?: readonly number[];
  /** Identity of the summary that replaces earlier turns, by which a new summary is noticed. */
  readonly compaction?: string;
  /**
   * What the thinking of this view is bound to besides the messages before it. Undefined if the model of the call does
   * not bind its thinking.
   */
  readonly bound_to?: string;
  /** Budget for which whole messages had to leave the view. */
  readonly short_for?: number;
  /** Active objects of which the budget did not allow to show more. */
  readonly scarce?: readonly UseKey[];
};

export const firstMemory: EpochMemory = { epoch: 1, calls: 0, left: [], died: {}, plain_tokens: 0 };

/** Returns the identity of the summary that replaces earlier turns. */
export function compactionName({ compaction }: LayoutInput): string | undefined {
  if (compaction === undefined) return undefined;
  const { from, messages } = compaction;
  const names = messages.map(({ message, key }) => `${message.timestamp ?? ""} ${key ?? ""}`);
  return `${from.turn}.${from.step} ${names.join(", ")}`;
}

/** Returns the memory of a record that an epoch layout made. */
export function epochMemory(record: ViewRecord): EpochMemory {
  const { died, ...rest } = record.memory as unknown as StoredMemory;
  return { ...rest, died: Object.fromEntries(died.map(readDeath)) };
}

/** Returns the memory in its recorded form. */
export function recordedMemory({ died, ...rest }: EpochMemory): JsonObject {
  const rows = Object.entries(died).map(([place, call]) => `${place}@${call}`);
  return { ...rest, died: rows } satisfies StoredMemory;
}

/**
 * The recorded form of the memory. `died` is a list of rows such as `12@3`, because a longer list is a shorter delta
 * for stores than an object with one more field.
 */
type StoredMemory = Omit<EpochMemory, "died"> & { readonly died: readonly string[] };

function readDeath(row: string): readonly [string, number] {
  const at = row.lastIndexOf("@");
  return [row.slice(0, at), Number(row.slice(at + 1))];
}

/** Returns the epoch that a recorded view belongs to; undefined for a record of another layout. */
export function epochOf(record: ViewRecord): EpochPlace | undefined {
  if (record.layout !== "epoch") return undefined;
  const { epoch, calls, ended_by: endedBy, left } = epochMemory(record);
  return { number: epoch, calls, ...defined({ endedBy }), left };
}
