export {
  boundedMap,
  canonicalJson,
  defined,
  fieldsOf,
  FileError,
  isJsonList,
  isJsonObject,
  isObjectId,
  jsonObject,
  messageOf,
  sha256,
  toJson,
  toJsonWithBase64,
} from "@self-context-manager/objects";
export {
  hasSignedThinking,
  withoutAllThinking,
  withoutSignedThinking,
} from "../chat/signed-thinking.ts";
export { soundUsage } from "../cost/reported-usage.ts";
export { type ThinkingBinding, thinkingBinding } from "../cost/thinking-binding.ts";
export { fullSupport, type HarnessAdapter, type HarnessSupports } from "../host/harness-adapter.ts";
export type { FileRendering } from "../host/file-rendering.ts";
export { type ComparedLists, identityName, markedList } from "../host/marked-list.ts";
export type { MessageCodec, MessageIdentity } from "../host/message-codec.ts";
export { areBlocks, blocksIn, timeIn } from "../host/host-fields.ts";
export { type PromptRefusal, promptRefusal } from "../host/prompt-refusal.ts";
export { messageKey } from "../host/read-list.ts";
export { executionField } from "../calls/execution.ts";
export type { EpochFigures, PoolTokens } from "../view/layout.ts";
export { type NoteAuthor, notedBody, noteOf } from "../render/object-note.ts";
export { shortName } from "../render/short-name.ts";
export type { ManagerSummary } from "../history/foreign-handles.ts";
export { type AnswerDetails, answerDetails, hostText } from "../session/answers.ts";
export {
  type ContextTool,
  contextTools,
  declarations,
  renamedContextTools,
  sessionTools,
} from "../session/context-tools.ts";
export type { ConnectOptions } from "../adapters/connect-options.ts";
export { connect, type Connection } from "../adapters/connection.ts";
export type { NoticeKind, NoticeOptions } from "../adapters/connection-notices.ts";
export type { ModelCall, ModelCallRequest } from "../adapters/model-calls.ts";
export type { OwnThinkingOptions, RefusedAnswer } from "../adapters/own-thinking.ts";
export type { Breakpoints, SentModelOptions } from "../adapters/sent-requests.ts";
export type { HostClock } from "../host/host-clock.ts";
export { noteRequest, readNote } from "../session/summary-text.ts";
export type { SummaryOptions } from "../adapters/turn-summaries.ts";
export { connectMany, type ConnectManyOptions, type Connections } from "../adapters/connections.ts";
export { type BoundAnswer, type BoundTool, isBoundAnswer } from "../adapters/bound-tools.ts";
export { contextCommand, type ContextSwitch } from "../adapters/context-command.ts";
export { contextCompletions, type ContextCompletion } from "../adapters/context-completions.ts";
export { isActive, listedObjects } from "../adapters/listed-objects.ts";
export { inspectHint, type InspectedPlace } from "../adapters/inspect-hint.ts";
export { shellWord } from "../adapters/shell-word.ts";
export type { ContextFigures } from "../adapters/context-figures.ts";
export { switchesOff } from "../adapters/off-variable.ts";
export type { HostToolCall, HostToolResult } from "../adapters/host-tool-call.ts";
export { ownBreakpoints } from "../adapters/breakpoints.ts";
export { type FailureNoticeOptions, otherStoreText } from "../adapters/failure-notice.ts";
export { lastOutput, recordedOutputs } from "../adapters/recorded-outputs.ts";
export { isSessionGone } from "../adapters/store-failure.ts";
