export {
  type Clock,
  type FileSource,
  type IdSource,
  type JsonObject,
  type JsonValue,
  type Logger,
  type ObjectId,
  type ObjectStore,
  type Patience,
  type ReadLimits,
  silentLogger,
  type StoredMetadata,
  type StoredVersion,
  StoreError,
  type StoreErrorCode,
} from "@self-context-manager/objects";
export {
  type AssistantMessage,
  type Block,
  type ImageBlock,
  isImage,
  isText,
  isToolCall,
  type Message,
  type OpaqueMessage,
  type OtherBlock,
  type ReportedUsage,
  isThinking,
  type ThinkingBlock,
  type SummaryMessage,
  type TextBlock,
  textOf,
  type ToolCallBlock,
  type ToolResultMessage,
  type UserMessage,
} from "./chat/message.ts";
export { modelOptions, type ModelOptions } from "./cost/model-options.ts";
export { type ModelCost, type ModelFacts, type PriceProfile } from "./cost/price-profile.ts";
export type { Summarizer, SummaryAnswer, SummaryRequest } from "./host/summarizer.ts";
export type { HostSession } from "./host/host-session.ts";
export { maskedFiles } from "./host/masked-files.ts";
export { neutralCodec } from "./host/neutral-codec.ts";
export { readList, type ReadList, type ReadMessage } from "./host/read-list.ts";
export type { CallFacts, CallKind } from "./calls/call-kind.ts";
export { type ToolFacts, usualToolFacts } from "./calls/tool-facts.ts";
export type { ActivationPolicy } from "./policy/activation-policy.ts";
export { type RecentlyUsedOptions, recentlyUsedPolicy } from "./policy/recently-used-policy.ts";
export { windowPolicy, type WindowPolicyOptions } from "./policy/window-policy.ts";
export type { Layout, ViewMessage } from "./view/layout.ts";
export { pooledLayout } from "./layouts/pooled/pooled-layout.ts";
export { epochLayout } from "./layouts/epoch/epoch-layout.ts";
export { defaultEpochSettings, type EpochSettings } from "./layouts/epoch/epoch-settings.ts";
export {
  type NamedEpochSettings,
  type NamedSetting,
  namedNumbers,
  namedSettings,
} from "./layouts/epoch/named-settings.ts";
export type { SessionDependencies } from "./state/session-scope.ts";
export type { HostSignals, IngestReport } from "./history/ingest-messages.ts";
export type { ToolAnswer } from "./session/answers.ts";
export type { ActivateRange } from "./session/chosen-range.ts";
export type {
  CallOptions,
  ContextSession,
  ListedObject,
  SessionStatus,
  WriteOptions,
} from "./session/context-session.ts";
export type { SecretsSeen } from "./session/session-mask.ts";
export { openContextSession } from "./session/open-context-session.ts";
export { standingInstruction } from "./session/context-tools.ts";
export type {
  ArgumentsSchema,
  ArgumentSchema,
  SessionTool,
  SessionToolAnswer,
  ToolDescription,
} from "./session/session-tool.ts";
export type {
  SummarizeOptions,
  SummaryOutcome,
  TurnToSummarize,
} from "./session/summarize-turn.ts";
export type { ReadRequest } from "./session/read-file.ts";
export type { RefusedRequest } from "./session/learn-refusal.ts";
export type { View, ViewOptions } from "./session/view-options.ts";
