/** A block of a prompt: the unit that a provider's cache compares. Blocks with the same key have the same bytes. */
export interface Part {
  readonly key: unknown;
  readonly tokens: number;
}

/** A range of a text in UTF-16 units; `end` is excluded. */
interface CharRange {
  readonly start: number;
  readonly end: number;
}

/** How much of an object the model sees. */
export type Visibility = "whole" | "none" | readonly CharRange[];

/** A model call that a strategy makes for itself, such as a summary: input at the plain price, and output tokens. */
export interface OwnCall {
  readonly input: number;
  readonly output: number;
}

/** What the model is sent in one call. */
export interface CallView {
  readonly parts: readonly Part[];
  /** What of an evidence object is in the prompt; by the number that the segment's evidence gives it. */
  readonly shown: (object: number) => Visibility;
  readonly ownCalls?: readonly OwnCall[];
  /** When the call was made, in milliseconds since 1970. */
  readonly time?: number;
}

/** One pass of a strategy over a segment. `view` is asked once for each model call of the segment, in order. */
export interface StrategyRun {
  view(): CallView | Promise<CallView>;
  /** The model asks for an evidence object before it makes the call last viewed; answers that call's prompt anew. */
  activate(object: number): CallView | Promise<CallView>;
  /** Frees what the run holds. */
  [Symbol.asyncDispose]?(): Promise<void>;
}

/** The tokens of a prompt. */
export function promptTokens({ parts }: Pick<CallView, "parts">): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0);
}
