export type {
  DamagedLine,
  RecordedAssistant,
  RecordedBlock,
  RecordedImage,
  RecordedMessage,
  RecordedSession,
  RecordedSource,
  RecordedSystem,
  RecordedText,
  RecordedThinking,
  RecordedToolCall,
  RecordedToolResult,
  RecordedUsage,
  RecordedUser,
} from "./read/recorded-session.ts";
export { RecordingError, type RecordingErrorCode } from "./read/recording-error.ts";
export { readSession } from "./read/read-session.ts";
export { classifyCall, fileName } from "./corpus/classify-call.ts";
export {
  defaultFolders,
  type FindOptions,
  findSessions,
  type FoundSessions,
  type Unreadable,
} from "./corpus/find-sessions.ts";
export { corpusTotals, type CorpusTotals, type Segment, segmentsOf } from "./corpus/segments.ts";
export {
  countBlock,
  countText,
  countTokens,
  imageTokens,
  messageOverhead,
  prefixTokens,
} from "./measure/tokens.ts";
export type { FileOutcome } from "./replay-task.ts";
export { type ReplayProgress, type RunOptions, runReplay } from "./run-replay.ts";
export type { MissCounts } from "./measure/replay-segment.ts";
export { type ReplayPrices, replayPrices } from "./measure/prices.ts";
export type { SessionFigures, StrategyFigures } from "./measure/session-figures.ts";
export { replayJson, type ReplayJson } from "./report/replay-json.ts";
export { replayPlot } from "./report/replay-plot.ts";
export { type ReplayReport, replayReport, type StrategyReport } from "./report/replay-report.ts";
export { replayText } from "./report/replay-text.ts";
export { type StrategyName, strategyNames } from "./strategies/strategies.ts";
