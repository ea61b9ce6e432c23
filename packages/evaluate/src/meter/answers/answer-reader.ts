import { type JsonObject } from "@self-context-manager/objects";

import type { MeteredAnswer } from "../../model/metered-answer.ts";
import type { CallUsage } from "../../model/run-record.ts";

/** What a protocol says in the events of an answer. */
interface ReadEvents {
  /** Absent: the provider reported none. */
  readonly usage?: CallUsage;
  readonly answer: MeteredAnswer;
  /** Whether the answer came to its end. */
  readonly isComplete: boolean;
  /** The message of an error within the answer. */
  readonly error?: string;
}

/** Reads the events of a streamed answer, or the one object of an answer that was not streamed. */
export type AnswerReader = (events: readonly JsonObject[]) => ReadEvents;

/** A tool call whose parts arrive one after the other. */
export interface GrowingCall {
  name: string;
  arguments: string;
}

/** Returns a number of tokens, or undefined for a value that is none. */
export function tokensIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Returns a text, or an empty one for any other value. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
