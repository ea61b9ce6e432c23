import { createHash } from "node:crypto";

/** A part of a prompt that is cached as a whole or not at all. */
export interface PromptBlock {
  /** The block's text as the provider sees it, without markers. */
  readonly text: string;
  readonly tokens: number;
  /** The lifetime of the block's cache entry in milliseconds. `undefined`: the block has no breakpoint. */
  readonly breakpoint?: number;
}

/** The tokens of one prompt, by their price. */
export interface BilledPrompt {
  /** Tokens that are neither read from the cache nor written to it. */
  readonly input: number;
  readonly read: number;
  readonly written: number;
}

export interface PrefixCache {
  /** Bills a prompt. Stores the parts of it that the rules keep. */
  bill(blocks: readonly PromptBlock[]): BilledPrompt;
}

export interface PrefixCacheOptions {
  /** Returns the time in milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
  /** The fewest tokens of a prefix that the cache keeps. Default: 1024. */
  readonly minimum?: number;
}

/** How far a breakpoint looks back for an entry, in blocks. */
const lookback = 20;

/**
 * Returns a cache by Anthropic's rules. Entries are written only at breakpoints, and only from the minimum length on.
 * From each breakpoint the cache looks back over at most 20 blocks for an earlier entry, and it reads the longest one
 * found. An entry that is read or marked again keeps its full lifetime from then on. No other use extends it.
 */
export function markedPrefixCache(options: PrefixCacheOptions = {}): PrefixCache {
  const { now = Date.now, minimum = 1024 } = options;
  const entries = new Map<string, number>();

  return {
    bill(blocks) {
      const time = now();
      const prefixes = prefixesOf(blocks);
      const isKept = (index: number): boolean =>
        (entries.get(digestAt(prefixes, index)) ?? Number.NEGATIVE_INFINITY) >= time;
      const marks = blocks.flatMap(({ breakpoint }, index) =>
        breakpoint === undefined || tokensAt(prefixes, index) < minimum
          ? []
          : [{ index, lifetime: breakpoint }],
      );
      let hit = -1;
      let lifetime = 0;
      for (const mark of marks) {
        for (let index = mark.index; index >= Math.max(0, mark.index - lookback); index -= 1) {
          if (!isKept(index)) continue;
          if (index >= hit) [hit, lifetime] = [index, mark.lifetime];
          break;
        }
      }
      const read = tokensAt(prefixes, hit);
      const last = marks.at(-1)?.index ?? -1;
      if (hit >= 0) entries.set(digestAt(prefixes, hit), time + lifetime);
      for (const mark of marks) entries.set(digestAt(prefixes, mark.index), time + mark.lifetime);
      const written = Math.max(0, tokensAt(prefixes, last) - read);
      return { read, written, input: tokensAt(prefixes, blocks.length - 1) - read - written };
    },
  };
}

export interface AutomaticCacheOptions extends PrefixCacheOptions {
  /** The tokens in a step. Only whole steps are read. Default: 128. */
  readonly step?: number;
  /** Idle milliseconds after which a prompt is forgotten. Default: 300,000. */
  readonly lifetime?: number;
}

/**
 * Returns a cache by OpenAI's rules. Every prompt is kept as a whole. The longest prefix that a new prompt shares
 * with a kept one is read, in steps of 128 tokens and from 1,024 tokens on. Writing is not billed.
 */
export function automaticPrefixCache(options: AutomaticCacheOptions = {}): PrefixCache {
  const { now = Date.now, minimum = 1024, step = 128, lifetime = 300_000 } = options;
  let prompts: { readonly text: string; usedAt: number }[] = [];

  return {
    bill(blocks) {
      const time = now();
      const text = blocks.map((block) => block.text).join("\n");
      const tokens = blocks.reduce((sum, block) => sum + block.tokens, 0);
      let shared = 0;
      for (const prompt of prompts) {
        if (time - prompt.usedAt > lifetime) continue;
        const length = sharedLength(prompt.text, text);
        if (length > 0) prompt.usedAt = time;
        shared = Math.max(shared, length);
      }
      // A prompt that is the beginning of the new one is not needed: the new one contains it.
      prompts = prompts.filter((prompt) => !text.startsWith(prompt.text));
      prompts.push({ text, usedAt: time });
      const sharedTokens = Math.floor((tokens * shared) / Math.max(1, text.length));
      const whole = sharedTokens - (sharedTokens % step);
      const read = tokens >= minimum && whole >= minimum ? whole : 0;
      return { read, written: 0, input: tokens - read };
    },
  };
}

interface Prefix {
  readonly digest: string;
  readonly tokens: number;
}

function prefixesOf(blocks: readonly PromptBlock[]): readonly Prefix[] {
  const prefixes: Prefix[] = [];
  for (const { text, tokens } of blocks) {
    const { digest, tokens: before } = prefixes.at(-1) ?? { digest: "", tokens: 0 };
    const next = createHash("sha256").update(digest).update("\n").update(text).digest("hex");
    prefixes.push({ digest: next, tokens: before + tokens });
  }
  return prefixes;
}

function digestAt(prefixes: readonly Prefix[], index: number): string {
  return prefixes[index]?.digest ?? "";
}

function tokensAt(prefixes: readonly Prefix[], index: number): number {
  return prefixes[index]?.tokens ?? 0;
}

function sharedLength(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let index = 0;
  while (index < length && left[index] === right[index]) index += 1;
  return index;
}
