import type { CacheState } from "../cost/cache-state.ts";
import type { CostAccount } from "../cost/cost-account.ts";
import type { JsonValue } from "../objects/json.ts";

/** What a view says of its call. */
export interface CallFacts {
  readonly turns: number;
  readonly steps: number;
  readonly tokens: number;
  /** SHA-256 in hexadecimal. */
  readonly messagesHash: string;
  readonly cache?: CacheState;
}

/**
 * The facts of a call as they are stored, without names because every call has them: model (null where no cache is
 * known), turns, steps, tokens, the hash of the messages in base64url, when it was sent, the cache's breakpoints, and
 * what the provider reported of the cache.
 */
export function callRow({ turns, steps, tokens, messagesHash, cache }: CallFacts): JsonValue {
  const row = [turns, steps, tokens, shortHash(messagesHash)];
  if (cache === undefined) return [null, ...row];
  const sent = [cache.model, ...row, cache.used_at, cache.breakpoints];
  return cache.reported === undefined ? sent : [...sent, cache.reported];
}

/** Throws `TypeError` for what is no such row. */
export function readCallRow(row: JsonValue | undefined): CallFacts {
  if (!Array.isArray(row)) throw new TypeError("a view says nothing of its call");
  const [model, turns, steps, tokens, hash, sentAt, breakpoints, reported] =
    row as readonly JsonValue[];
  const facts = {
    turns: Number(turns),
    steps: Number(steps),
    tokens: Number(tokens),
    messagesHash: wholeHash(String(hash)),
  };
  if (typeof model !== "string") return facts;
  const cache: CacheState = {
    model,
    used_at: Number(sentAt),
    prompt_tokens: facts.tokens,
    breakpoints: breakpoints as readonly number[],
    ...(reported === undefined
      ? {}
      : { reported: reported as NonNullable<CacheState["reported"]> }),
  };
  return { ...facts, cache };
}

/** The running account as it is stored; units are rounded to whole tokens. */
export function accountRow({
  estimated,
  append_only: appendOnly,
  reported,
  append_only_prompt: prompt,
}: CostAccount): JsonValue {
  return [
    reported.calls,
    reported.input,
    reported.cache_read,
    reported.cache_write,
    estimated.calls,
    estimated.cached,
    estimated.fresh,
    Math.round(estimated.units),
    appendOnly.cached,
    appendOnly.fresh,
    Math.round(appendOnly.units),
    prompt,
  ];
}

export function readAccountRow(row: JsonValue | undefined): CostAccount | undefined {
  if (!Array.isArray(row)) return undefined;
  const at = (index: number): number => Number((row as readonly JsonValue[])[index]);
  return {
    reported: { calls: at(0), input: at(1), cache_read: at(2), cache_write: at(3) },
    estimated: { calls: at(4), cached: at(5), fresh: at(6), units: at(7) },
    append_only: { cached: at(8), fresh: at(9), units: at(10) },
    append_only_prompt: at(11),
  };
}

function shortHash(hex: string): string {
  const bytes = (hex.match(/../gu) ?? []).map((pair) => Number.parseInt(pair, 16));
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function wholeHash(short: string): string {
  const text = atob(short.replaceAll("-", "+").replaceAll("_", "/"));
  return [...text].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}
