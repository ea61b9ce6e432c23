/** A block of a prompt: the unit that a provider's cache compares. Blocks with equal keys have equal bytes. */
export interface Part {
  readonly key: unknown;
  readonly tokens: number;
  /** The number of blocks of the request; default: 1. */
  readonly blocks?: number;
}

/** A range of a text in UTF-16 units; `end` is excluded. */
export interface CharRange {
  readonly start: number;
  readonly end: number;
}

/** The part of an object that the model sees. */
export type Visibility = "whole" | "none" | readonly CharRange[];

/** Lines that the model asks for instead of all of an object. */
export interface FetchedLines extends CharRange {
  /** The first and the last line, counted from 1. */
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
}

/**
 * A separate model call of a strategy, such as a summary: input tokens at the plain price, input tokens that are read from
 * the cache, and output tokens.
 */
export interface OwnCall {
  readonly input: number;
  readonly cached?: number;
  readonly output: number;
}

/** The bytes of one request, and its breakpoints. */
export interface Prompt {
  readonly parts: readonly Part[];
  /** The numbers of parts after which the layout has a breakpoint, in order; default: the end, where a host has one. */
  readonly marks?: readonly number[];
  /** When the call was made, in milliseconds since 1970. */
  readonly time?: number;
}

/** The prompt of one model call. */
export interface CallView extends Prompt {
  /**
   * The part of an evidence object that is in the prompt; objects have numbers in the segment's evidence. Valid until the
   * run makes its next prompt.
   */
  readonly shown: (object: number) => Visibility;
  readonly ownCalls?: readonly OwnCall[];
}

/** One pass of a strategy over a segment. `view` is called once for each model call of the segment, in order. */
export interface StrategyRun {
  view(): CallView | Promise<CallView>;
  /**
   * The model asks for an evidence object, or for lines of its text, before the call of the last view; returns the new
   * prompt of that call.
   */
  activate(object: number, lines?: FetchedLines): CallView | Promise<CallView>;
  /** Releases the resources of the run. */
  [Symbol.asyncDispose]?(): Promise<void>;
}

/** The tokens of a prompt. */
export function promptTokens({ parts }: Pick<CallView, "parts">): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0);
}
