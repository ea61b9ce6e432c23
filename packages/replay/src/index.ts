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
export { openGgufModel, type GgufModelOptions } from "./surprise/gguf-model.ts";
export type { MeasureProgress } from "./surprise/measure-surprise.ts";
export { runSurprise, type SurpriseOptions } from "./surprise/run-surprise.ts";
export { openServerModel, type ServerModelOptions } from "./surprise/server-model.ts";
export {
  type LogLikelihood,
  SurpriseError,
  type SurpriseErrorCode,
  type SurpriseModel,
} from "./surprise/surprise-model.ts";
export type { SurpriseFigure, SurpriseReport, ViewFigures } from "./surprise/surprise-report.ts";
export { surpriseText } from "./surprise/surprise-text.ts";
export { isSurpriseView, type SurpriseView, surpriseViews } from "./surprise/surprise-views.ts";
