import {
  defined,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@self-context-manager/objects";
import type { CacheState } from "../cost/cache-state.ts";

/** The facts of a call that its view records. */
export interface CallFigures {
  readonly turns: number;
  readonly steps: number;
  readonly tokens: number;
  /** Hash of the messages, by `messagesHash`. */
  readonly messagesHash: string;
  readonly cache?: CacheState;
}

/**
 * Returns the facts of a call in their stored form: the hash of the messages and one list of numbers. The numbers are
 * turns, steps, tokens and, if it is known, the time of sending. They grow from call to call, and stores keep only the
 * differences. The model and the name of what is before the messages are beside them.
 */
export function callRow({ turns, steps, tokens, messagesHash, cache }: CallFigures): JsonObject {
  const figures = [turns, steps, tokens];
  if (cache === undefined) return { hash: messagesHash, figures };
  const { model, used_at: usedAt, head } = cache;
  return { hash: messagesHash, figures: [...figures, usedAt], model, ...defined({ head }) };
}

/** Returns the facts of a stored row. Throws `TypeError` for an invalid row. */
export function readCallRow(row: JsonValue | undefined): CallFigures {
  if (!isJsonObject(row)) throw new TypeError("a view does not describe its call");
  const { hash, figures, model, head } = row;
  if (typeof hash !== "string") throw new TypeError("a view has no hash of its messages");
  if (!Array.isArray(figures)) throw new TypeError("a view has no figures of its call");
  const [turns, steps, tokens, sentAt] = (figures as readonly JsonValue[]).map(Number);
  return {
    turns: turns ?? 0,
    steps: steps ?? 0,
    tokens: tokens ?? 0,
    messagesHash: hash,
    ...(typeof model === "string"
      ? {
          cache: {
            model,
            used_at: sentAt ?? 0,
            ...(typeof head === "string" ? { head } : {}),
          },
        }
      : {}),
  };
}
