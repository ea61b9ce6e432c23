/**
 * How an epoch layout shows contents, cuts them, and ends epochs. The defaults gave the best results in measurements.
 */
export interface EpochSettings {
  /** Share of the rewrite cost at which the carried cost ends an epoch; default 4, without folds 3.9. */
  readonly share: number;
  /** The same share at the first call of a user turn; default 2.1, without folds 1.9. */
  readonly shareAtTurn: number;
  /**
   * The share for contents that the model or the user deactivated; default 0.75, and half of it at the first call of a
   * turn. Nobody will need them, so they leave earlier than those that only were not used.
   */
  readonly shareDeactivated: number;
  /**
   * Tokens below which results are shown unchanged and stay; default 75. With `deactivate: "immediate"` there are none,
   * because deactivated content leaves whatever its size.
   */
  readonly small: number;
  /**
   * Tokens from which on the arguments of writes and edits can leave the view; default 600. Undefined: they always
   * stay.
   */
  readonly largeArguments: number | undefined;
  /**
   * The number of answers with tool calls that must follow a call before the text that it replaced leaves with an epoch's
   * end; default 3: it leaves when more than 3 follow. Undefined: it always stays.
   */
  readonly replacedTexts: number | undefined;
  /**
   * Tokens above which the arguments of calls that write no file are shown in part from an epoch's end on, if more than
   * `age` answers with tool calls follow; default over 100, age 3, without folds over 400, age 10. Undefined: they always
   * stay.
   */
  readonly otherArguments: { readonly over: number; readonly age: number } | undefined;
  /**
   * Whether the thinking of turns before the newest user message leaves with an epoch's end; default `leaves`, without
   * folds `stays`. Thinking that a provider can demand stays.
   */
  readonly earlierThinking: "stays" | "leaves";
  /**
   * The number of answers with tool calls that must follow a finished step before it is folded when an epoch ends
   * (decision D71); default 3: it is folded when more than 3 follow. Undefined: nothing is folded.
   */
  readonly folds: { readonly age: number } | undefined;
  /**
   * Tokens above which the results of commands, searches, web pages and unknown tools are shown by their beginning and
   * end; default over 3,000, head 500, tail 200. Undefined: never.
   */
  readonly trim:
    | { readonly over: number; readonly head: number; readonly tail: number }
    | undefined;
  /**
   * Whether such a result is whole until the epoch ends (default), or shown by its ends as soon as it arrives. This costs
   * less, and the model needs a further call to see all of it.
   */
  readonly freshOutputs: "whole" | "ends";
  /** Whether deactivated content leaves the view when its epoch ends (default) or with the next call. */
  readonly deactivate: "at-epoch-end" | "immediate";
  /** Whether a replaced version leaves the view when its epoch ends (default) or with the next call. */
  readonly superseded: "at-epoch-end" | "at-once";
}

/** The settings that measured best on recorded sessions. They are the default of `epochLayout`. */
export const defaultEpochSettings: EpochSettings = {
  share: 4,
  shareAtTurn: 2.1,
  shareDeactivated: 0.75,
  small: 75,
  largeArguments: 600,
  replacedTexts: 3,
  otherArguments: { over: 100, age: 3 },
  earlierThinking: "leaves",
  folds: { age: 3 },
  trim: { over: 3_000, head: 500, tail: 200 },
  freshOutputs: "whole",
  deactivate: "at-epoch-end",
  superseded: "at-epoch-end",
};

/** The defaults if nothing is folded: those with which sessions were measured before folds. */
const withoutFolds: Partial<EpochSettings> = {
  share: 3.9,
  shareAtTurn: 1.9,
  otherArguments: { over: 400, age: 10 },
  earlierThinking: "stays",
};

/** Returns settings with the defaults for those that are not given. */
export function everySetting(given: Partial<EpochSettings>): EpochSettings {
  const all = { ...defaultEpochSettings, ...(isFolding(given) ? {} : withoutFolds), ...given };
  return all.deactivate === "immediate" ? { ...all, small: 0 } : all;
}

/** Whether steps are folded with some settings: the default, unless they say otherwise. */
export function isFolding(given: Partial<EpochSettings>): boolean {
  return !Object.hasOwn(given, "folds") || given.folds !== undefined;
}
