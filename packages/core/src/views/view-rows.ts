import type { CacheState } from "../cost/cache-state.ts";
import type { CostAccount } from "../cost/cost-account.ts";
import { isJsonObject, type JsonValue } from "../objects/json.ts";

/** What a view says of its call. */
export interface CallFacts {
  readonly turns: number;
  readonly steps: number;
  readonly tokens: number;
  /** SHA-256 in hexadecimal. */
  readonly messagesHash: string;
  readonly cache?: CacheState;
  readonly account?: CostAccount;
}

/**
 * The facts of a call as they are stored, without names because every call has them: model and what the provider
 * reported of its cache (null where there is none), turns, steps, tokens, the hash of the messages in base64url, when
 * it was sent, the cache's breakpoints, and the account where there is one.
 */
export function callRow({
  turns,
  steps,
  tokens,
  messagesHash,
  cache,
  account,
}: CallFacts): JsonValue {
  return [
    cache?.model ?? null,
    cache?.reported ?? null,
    turns,
    steps,
    tokens,
    shortHash(messagesHash),
    cache?.used_at ?? null,
    cache?.breakpoints ?? null,
    ...(account === undefined ? [] : accountRow(account)),
  ];
}

/** Throws `TypeError` for what is no such row. */
export function readCallRow(row: JsonValue | undefined): CallFacts {
  if (!Array.isArray(row)) throw new TypeError("a view says nothing of its call");
  const [model, reported, turns, steps, tokens, hash, sentAt, breakpoints, ...account] =
    row as readonly JsonValue[];
  const facts = {
    turns: Number(turns),
    steps: Number(steps),
    tokens: Number(tokens),
    messagesHash: wholeHash(hash),
    ...(account.length === 0 ? {} : { account: readAccountRow(account.map(Number)) }),
  };
  if (typeof model !== "string") return facts;
  const cache: CacheState = {
    model,
    used_at: Number(sentAt),
    prompt_tokens: facts.tokens,
    breakpoints: breakpoints as readonly number[],
    ...(isJsonObject(reported) ? { reported: reported as CacheReport } : {}),
  };
  return { ...facts, cache };
}

type CacheReport = NonNullable<CacheState["reported"]>;

/** The running account; units are rounded to whole tokens. */
function accountRow({
  estimated,
  append_only: appendOnly,
  reported,
  append_only_prompt: prompt,
}: CostAccount): readonly number[] {
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

function readAccountRow(row: readonly number[]): CostAccount {
  const at = (index: number): number => row[index] ?? 0;
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

function wholeHash(short: JsonValue | undefined): string {
  if (typeof short !== "string") throw new TypeError("a view has no hash of its messages");
  const text = atob(short.replaceAll("-", "+").replaceAll("_", "/"));
  return Array.from(text, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}
