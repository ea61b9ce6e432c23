import type { ChangeNotice } from "../../src/answers.ts";

/** Whether the page gets news: `crowded` if too many other pages do, `still` for a snapshot, which never changes. */
export type Connection = "connecting" | "live" | "reconnecting" | "crowded" | "ended" | "still";

/** Where the answers come from: the local server, or a snapshot in the page. */
export interface DataSource {
  /** The answer to a question of `answers.ts`, by its path. Rejects with an `AnswerError`. */
  ask<Answer>(path: string, signal?: AbortSignal): Promise<Answer>;
  /** Reports what is new from a position on, until the returned function is called. */
  follow(
    after: string,
    notice: (change: ChangeNotice) => void,
    state: (connection: Connection) => void,
  ): () => void;
}

/** A question without an answer: the code is that of `ErrorAnswer`, or `NO_CONNECTION` or `NO_TOKEN`. */
export class AnswerError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AnswerError";
    this.code = code;
  }
}

/** The path of a question about one session, call, object or version. */
export const paths = {
  store: "store",
  sessions: "sessions",
  sessionsUpTo: (limit: number): string => `sessions?limit=${limit}`,
  session: (id: string): string => `sessions/${encodeURIComponent(id)}`,
  call: (id: string, call: number): string => `sessions/${encodeURIComponent(id)}/calls/${call}`,
  damage: (id: string): string => `sessions/${encodeURIComponent(id)}/damage`,
  object: (id: string): string => `objects/${encodeURIComponent(id)}`,
  version: (id: string, version: number): string =>
    `objects/${encodeURIComponent(id)}/versions/${version}`,
  graph: (id: string): string => `objects/${encodeURIComponent(id)}/graph`,
  search: (words: string): string => `search?words=${encodeURIComponent(words)}`,
} as const;
