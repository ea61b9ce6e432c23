import { countTokens } from "../measure/tokens.ts";
import type { RecordedMessage, RecordedSession } from "../read/recorded-session.ts";

/** A part of a session between two compactions of the recorder. */
export interface Segment {
  /** In every segment except the session's first, the first row is the summary. */
  readonly rows: readonly RecordedMessage[];
  /** The number of model calls among the rows. */
  readonly calls: number;
}

/** The size of the measured corpus. */
export interface CorpusTotals {
  readonly sessions: number;
  readonly segments: number;
  readonly calls: number;
  /** Tokens of all rows of the segments, each counted once. */
  readonly tokens: number;
}

/** The segments of a session that have at least two calls. */
export function segmentsOf(session: Pick<RecordedSession, "rows">): readonly Segment[] {
  const parts: RecordedMessage[][] = [[]];
  for (const row of session.rows) {
    if (row.role === "user" && row.compaction === true) parts.push([]);
    parts.at(-1)?.push(row);
  }
  return parts
    .map((rows) => ({ rows, calls: rows.filter((row) => row.role === "assistant").length }))
    .filter(({ calls }) => calls >= 2);
}

/** The totals of sessions; a session without a segment does not count. */
export function corpusTotals(sessions: Iterable<Pick<RecordedSession, "rows">>): CorpusTotals {
  const totals = { sessions: 0, segments: 0, calls: 0, tokens: 0 };
  for (const session of sessions) {
    const segments = segmentsOf(session);
    if (segments.length > 0) totals.sessions += 1;
    totals.segments += segments.length;
    for (const { rows, calls } of segments) {
      totals.calls += calls;
      totals.tokens += rows.reduce((sum, row) => sum + countTokens(row), 0);
    }
  }
  return totals;
}
