export type { RecordedSession } from "./read/recorded-session.ts";
export { RecordingError, type RecordingErrorCode } from "./read/recording-error.ts";
export { readSession } from "./read/read-session.ts";
export {
  type FindOptions,
  defaultFolders,
  findSessions,
  type FoundSessions,
  type Unreadable,
} from "./corpus/find-sessions.ts";
export { corpusTotals, type CorpusTotals } from "./corpus/segments.ts";
export type { FileOutcome } from "./replay-task.ts";
export { type ReplayProgress, type RunOptions, runReplay } from "./run-replay.ts";
export { type CallRequests, tracedCalls } from "./measure/trace.ts";
export type { SessionFigures } from "./measure/session-figures.ts";
export { replayJson } from "./report/replay-json.ts";
export { replayPlot } from "./report/replay-plot.ts";
export { type ReplayReport, replayReport } from "./report/replay-report.ts";
export { replayText } from "./report/replay-text.ts";
