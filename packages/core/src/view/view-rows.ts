import { isJsonObject, type JsonObject, type JsonValue } from "@self-context-manager/objects";
import type { CacheState } from "../cost/cache-state.ts";

/** What a view says of its call. */
export interface CallFigures {
  readonly turns: number;
  readonly steps: number;
  readonly tokens: number;
  /** As `messagesHash` gives it. */
  readonly messagesHash: string;
  readonly cache?: CacheState;
}

/**
 * The facts of a call as they are stored: the hash of the messages, then what grows from call to call in one list of
 * numbers, of which stores keep the differences: turns, steps, tokens, and when it was sent where that is known.
 */
export function callRow({ turns, steps, tokens, messagesHash, cache }: CallFigures): JsonObject {
  const figures = [turns, steps, tokens];
  if (cache === undefined) return { hash: messagesHash, figures };
  return { hash: messagesHash, figures: [...figures, cache.used_at], model: cache.model };
}

/** Throws `TypeError` for what is no such row. */
export function readCallRow(row: JsonValue | undefined): CallFigures {
  if (!isJsonObject(row)) throw new TypeError("a view says nothing of its call");
  const { hash, figures, model } = row;
  if (typeof hash !== "string") throw new TypeError("a view has no hash of its messages");
  if (!Array.isArray(figures)) throw new TypeError("a view has no figures of its call");
  const [turns, steps, tokens, sentAt] = (figures as readonly JsonValue[]).map(Number);
  return {
    turns: turns ?? 0,
    steps: steps ?? 0,
    tokens: tokens ?? 0,
    messagesHash: hash,
    ...(typeof model === "string" ? { cache: { model, used_at: sentAt ?? 0 } } : {}),
  };
}
