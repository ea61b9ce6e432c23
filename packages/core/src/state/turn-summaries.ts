import type { ObjectId, StoredMetadata } from "@self-context-manager/objects";
import type { StatePart } from "./state-part.ts";

/** What the summaries of a session have cost, those included whose answer was not usable. */
export type SummarySpending = {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  /** US dollars; absent if no host knew a price. */
  readonly cost?: number;
  /** The model that was asked last. */
  readonly model?: string;
};

/** The stored form: the ids of the summaries by the key of their turn. */
export type SummaryRows = {
  readonly turns: Readonly<Record<string, ObjectId>>;
  readonly spent: SummarySpending;
};

/** The summaries of a session's turns (decision D73), by the key of the turn. */
export interface TurnSummaries extends StatePart {
  readonly size: number;
  readonly spent: SummarySpending;
  /** Returns the stored summary of the turn with a key. */
  get(key: string): StoredMetadata | undefined;
  /** Returns the short text of that summary. */
  shortOf(key: string): string | undefined;
  add(key: string, summary: StoredMetadata): void;
  /** Counts a request to a model. */
  spend(request: Omit<SummarySpending, "calls">): void;
  /** Returns the stored form; undefined if no model was asked. */
  rows(): SummaryRows | undefined;
  /** Replaces the summaries by those of a stored session. */
  restore(rows: SummaryRows | undefined, metadata: ReadonlyMap<ObjectId, StoredMetadata>): void;
}

const nothingSpent: SummarySpending = { calls: 0, input: 0, output: 0 };

/** Returns no summaries. */
export function turnSummaries(): TurnSummaries {
  const summaries = new Map<string, StoredMetadata>();
  let spent = nothingSpent;
  let isChanged = false;
  return {
    get size() {
      return summaries.size;
    },
    get spent() {
      return spent;
    },
    get isChanged() {
      return isChanged;
    },
    noteStored() {
      isChanged = false;
    },
    get: (key) => summaries.get(key),
    shortOf(key) {
      const short = summaries.get(key)?.body["short_summary"];
      return typeof short === "string" ? short : undefined;
    },
    add(key, summary) {
      summaries.set(key, summary);
      isChanged = true;
    },
    spend({ input, output, cost, model }) {
      const sum = cost === undefined ? spent.cost : (spent.cost ?? 0) + cost;
      spent = {
        calls: spent.calls + 1,
        input: spent.input + input,
        output: spent.output + output,
        ...(sum === undefined ? {} : { cost: sum }),
        ...(model === undefined ? {} : { model }),
      };
      isChanged = true;
    },
    rows() {
      if (summaries.size === 0 && spent.calls === 0) return undefined;
      const turns = Object.fromEntries([...summaries].map(([key, { body }]) => [key, body.id]));
      return { turns, spent };
    },
    restore(rows, metadata) {
      summaries.clear();
      spent = rows?.spent ?? nothingSpent;
      isChanged = true;
      for (const [key, id] of Object.entries(rows?.turns ?? {})) {
        const stored = metadata.get(id);
        if (stored !== undefined) summaries.set(key, stored);
      }
    },
  };
}
