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
