import type { CheckResult, TaskFamily } from "./task.ts";

/** The tokens that a provider reported for one call, by their price. */
export interface CallUsage {
  /** Input that was neither read from the cache nor written to it. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Of `cacheWrite`: the tokens that the cache keeps for an hour. They cost twice the input price. Absent: none. */
  readonly cacheWriteLong?: number;
  /** All output, thinking included. */
  readonly output: number;
}

/** One model call of a run as the meter saw it. */
export interface CallRecord {
  /** From 1, in order of arrival. */
  readonly number: number;
  /** The index in `steps` of the prompt whose turn it belongs to. */
  readonly step: number;
  /** Milliseconds since the run began, without the time that the meter waited for its rate limits. */
  readonly startedMs: number;
  readonly durationMs: number;
  readonly status: number;
  /** Bytes of the request's body. */
  readonly requestBytes: number;
  /** Absent: the provider reported none, as for an error. */
  readonly usage?: CallUsage;
  /** Dollars. Absent: the prices or the usage are unknown. An error before the answer costs nothing. */
  readonly dollars?: number;
  /** Whether `dollars` is the most that the call can have cost, because the provider did not report all of its usage. */
  readonly isBound?: boolean;
  /** Whether the answer broke off. Its usage is what the provider reported up to then. */
  readonly isIncomplete?: boolean;
  /** Of an error: the provider's message, cut to 500 characters. */
  readonly error?: string;
  /** Whether the error says that the request is longer than the context window. */
  readonly isOverWindow?: boolean;
}

/** How a run ended. */
export type RunEnd =
  /** All prompts were answered. */
  | "finished"
  | "call-limit"
  | "time-limit"
  /** The budget of the whole evaluation was spent. Such a run is not a result; it is repeated on resume. */
  | "budget"
  | "host-error"
  | "provider-error";

/** Why a run was not solved. `other`: none of the rules applies. */
export type FailureKind =
  | "did-not-look"
  | "could-not-find"
  | "stale"
  | "wrong-object"
  | "gave-up"
  | "call-limit"
  | "time-limit"
  | "host-error"
  | "provider-error"
  | "other";

export interface Failure {
  readonly kind: FailureKind;
  /** The line that shows it: of a check, of the agent's answer, or of an error. */
  readonly evidence: string;
  /** The index in `steps` where it happened, if it is known. */
  readonly step?: number;
}

/** A fact at one of the prompts that need it. */
export interface FactSeen {
  readonly fact: string;
  readonly step: number;
  /** Whether a request of this turn had the right value: in the first one, only in a later one, or in none. */
  readonly seen: "at-once" | "later" | "never";
  /** Whether a request of this turn had another value and not the right one. */
  readonly isStale: boolean;
}

/** What a run is a result of. Two runs with equal parts are the same run. */
export interface RunParts {
  readonly arm: string;
  /** The SHA-256 of the arm's definition, in hex. */
  readonly armHash: string;
  readonly task: string;
  readonly taskHash: string;
  readonly seed: number;
  /** `provider/id`. */
  readonly model: string;
  /** `pi 1.5.2`. */
  readonly host: string;
  /** The version of the protocol: how prompts are sent and what is measured. */
  readonly protocol: number;
  /** The version of the context manager; for a checkout with the hash of its sources. */
  readonly version: string;
}

/** The result of one run, as `run.json` has it. */
export interface RunRecord extends RunParts {
  /** The first 16 hex digits of the SHA-256 of the parts, as canonical JSON. */
  readonly key: string;
  readonly family: TaskFamily;
  /** The time of the machine when the run began, as ISO 8601. */
  readonly began: string;
  readonly end: RunEnd;
  readonly isSolved: boolean;
  readonly checks: readonly CheckResult[];
  readonly failure?: Failure;
  readonly figures: RunFigures;
  readonly facts: readonly FactSeen[];
  /** Warnings and errors that the host's extensions showed, each once. Absent: there were none. */
  readonly notices?: readonly string[];
  /** Findings that make the run no result, such as a view that does not verify. Usually empty. */
  readonly faults: readonly string[];
}

/** The figures of one run. Sums over its calls, except where it says otherwise. */
export interface RunFigures extends CallUsage {
  /** Absent: the prices are unknown. */
  readonly dollars?: number;
  readonly calls: number;
  /** Prompts of the user that were answered. */
  readonly turns: number;
  /** Seconds, without waits for rate limits. */
  readonly seconds: number;
  /** The most input tokens of one call, from the cache or not. */
  readonly peakInput: number;
  readonly overWindow: number;
  /** Reads of a path that was read before and has not changed since. */
  readonly rereads: number;
  /** Commands that were run before, with no change of a file in between. */
  readonly reruns: number;
  /** Calls of the context tools by name. */
  readonly contextTools: Readonly<Record<string, number>>;
  /** Calls of `activate` and `find_objects` after which the text of the answer was used. */
  readonly contextToolsUsed: number;
}
