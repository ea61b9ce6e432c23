import type { SessionFigures } from "./measure/session-figures.ts";
import type { DamagedLine } from "./read/recorded-session.ts";
import type { StoredRun } from "./strategies/replay-session.ts";

/** A task for a thread: to store the session of a file at a path or, if `stored` is set, to measure it. */
export interface ReplayTask {
  readonly file: string;
  readonly path: string;
  readonly stored?: StoredRun;
}

/** The answer of a thread: the stored session if it can be measured, otherwise the outcome of the file. */
export type ReplayAnswer = { readonly stored: StoredRun } | { readonly outcome: FileOutcome };

/** The result of replaying one file. */
export interface FileOutcome {
  readonly file: string;
  readonly damaged: readonly DamagedLine[];
  /** Undefined if the file has no session with at least two calls. */
  readonly figures?: SessionFigures;
  /** Why the file could not be replayed. */
  readonly reason?: string;
}
