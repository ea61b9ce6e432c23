import type { OwnCall, Part, Prompt } from "./call-view.ts";

/** How many blocks before a breakpoint a provider searches for an earlier cache entry. */
const lookback = 20;

/** The requests of one model call: those by which the model asked for objects before it, and its own. */
export interface CallRequests {
  readonly prompt: Prompt;
  readonly asked: readonly AskedRequest[];
  readonly ownCalls: readonly OwnCall[];
}

/** A request whose answer asks for an object. */
export interface AskedRequest {
  readonly prompt: Prompt;
  /** Tokens that the object added to the next prompt, with the request for it. */
  readonly content: number;
}

/** The tokens of a prompt that a cache could have held, by the way in which the cache is read. */
export interface CachedTokens {
  /** Those that the former request also began with. */
  readonly shared: number;
  /** Those up to a breakpoint of the host: the system prompt and the end of each request. */
  readonly host: number;
  /** Those up to a breakpoint of the layout's own, and of the system prompt. */
  readonly own: number;
  /** Those of the first blocks, as many as the former prompt had. */
  readonly kept: number;
}

interface TracedRequest {
  readonly tokens: number;
  readonly cached: CachedTokens;
}

/** The tokens that one model call sent, and how many of them a cache could have held. */
export interface CallTrace extends TracedRequest {
  /** Whether the prompt begins with the whole previous prompt. */
  readonly isExtension: boolean;
  readonly ownCalls: readonly OwnCall[];
  readonly asked: readonly (TracedRequest & { readonly content: number })[];
}

/** Follows the requests of a segment through a cache that drops entries `lifetime` milliseconds after their last use. */
export function tracedCalls(
  requests: readonly CallRequests[],
  lifetime: number = Number.POSITIVE_INFINITY,
): readonly CallTrace[] {
  const cache = requestCache(lifetime);
  let former: readonly Part[] = [];
  return requests.map(({ prompt, asked, ownCalls }) => {
    const found = asked.map((one) => ({ ...cache.add(one.prompt), content: one.content }));
    const { parts } = prompt;
    const isExtension = commonParts(former, parts) === former.length;
    former = parts;
    return { ...cache.add(prompt), isExtension, ownCalls, asked: found };
  });
}

/** A cache entry ends after a number of parts. */
type Entries = Map<number, { usedAt: number }>;

function requestCache(lifetime: number): { add(prompt: Prompt): TracedRequest } {
  let former: readonly Part[] = [];
  let now = 0;
  const host: Entries = new Map();
  const own: Entries = new Map();
  return {
    add({ parts, marks = [parts.length], time = now }) {
      const isCold = time - now > lifetime;
      now = Math.max(now, time);
      const common = isCold ? 0 : commonParts(former, parts);
      const read = (entries: Entries, ends: readonly number[]): number => {
        for (const [end, { usedAt }] of entries)
          if (end > common || now - usedAt > lifetime) entries.delete(end);
        const found = [...entries.keys()]
          .filter((end) =>
            ends.some((mark) => mark >= end && blocksIn(parts, end, mark) <= lookback),
          )
          .reduce((one, other) => Math.max(one, other), 0);
        for (const end of [found, ...ends]) if (end > 0) entries.set(end, { usedAt: now });
        return tokensOf(parts, found);
      };
      const cached = {
        shared: tokensOf(parts, common),
        // The first part is the system prompt with the tools, which has a breakpoint of its own.
        host: read(host, [1, parts.length]),
        own: read(own, [1, ...marks]),
        kept: isCold ? 0 : tokensOf(parts, Math.min(former.length, parts.length)),
      };
      former = parts;
      return { tokens: tokensOf(parts, parts.length), cached };
    },
  };
}

function commonParts(former: readonly Part[], parts: readonly Part[]): number {
  let at = 0;
  while (at < former.length && at < parts.length && former[at]?.key === parts[at]?.key) at += 1;
  return at;
}

function tokensOf(parts: readonly Part[], count: number): number {
  let sum = 0;
  for (let at = 0; at < count; at += 1) sum += parts[at]?.tokens ?? 0;
  return sum;
}

function blocksIn(parts: readonly Part[], from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += parts[at]?.blocks ?? 1;
  return sum;
}
