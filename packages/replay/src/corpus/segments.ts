import { countTokens } from "../measure/tokens.ts";
import type { RecordedMessage, RecordedSession } from "../read/recorded-session.ts";

/** A part of a session between two compactions of the recorder. */
export interface Segment {
  /** The summary comes first, in every segment but the session's first. */
  readonly rows: readonly RecordedMessage[];
  /** How many of the rows are model calls. */
  readonly calls: number;
}

/** What is measured on, in numbers. */
export interface CorpusTotals {
  readonly sessions: number;
  readonly segments: number;
  readonly calls: number;
  /** Of all rows of the segments, each counted once. */
  readonly tokens: number;
}

/** The segments of a session that have two calls or more. */
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

/** The totals of some sessions; one without a segment counts for nothing. */
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
