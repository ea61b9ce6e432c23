export {
  applyDelta,
  applyDeltas,
  bulkFields,
  canonicalJson,
  type Changes,
  type ChatPosition,
  checkFollows,
  checkLimit,
  checkWrites,
  type ChunkReader,
  type ChunkWriter,
  type Clock,
  collectReferences,
  type CommitOptions,
  type CommitResult,
  type CommittedVersion,
  compareText,
  contentFields,
  deepFreeze,
  type Delta,
  type DynamicReference,
  encodeDelta,
  encodeWhole,
  escapePointer,
  exportHeader,
  type ExportHeader,
  exportObjects,
  type FieldCondition,
  fieldConditions,
  type FieldRows,
  fieldRows,
  fileBody,
  type FileContent,
  FileError,
  type FileErrorCode,
  type FileFacts,
  type FileSearch,
  type FileSighting,
  type FileSource,
  type FileState,
  fileType,
  fileTypes,
  type FindQuery,
  hashFields,
  hashObject,
  hashRule,
  type HistoryOptions,
  type IdSource,
  ImportError,
  type ImportErrorCode,
  importObjects,
  type ImportReport,
  indexedValue,
  isJsonObject,
  isNickname,
  isObjectId,
  isReference,
  type JsonObject,
  type JsonValue,
  type KnownFile,
  type LineRange,
  type LocatedReference,
  type Logger,
  meetsCondition,
  metadataOf,
  missingFileBody,
  type MutableObject,
  nicknameRule,
  type NoFileSighting,
  normalTime,
  type ObjectBody,
  type ObjectHashes,
  objectHashText,
  objectId,
  type ObjectId,
  type ObjectMetadata,
  type ObjectStore,
  type ObjectWrite,
  type Page,
  type Patience,
  type Presence,
  presenceOf,
  type Provenance,
  readExportHeader,
  type ReadLimits,
  type Reference,
  type Referrer,
  type ReferrersOptions,
  requestDigest,
  type ResolvedVersion,
  resolveReference,
  resolveVersion,
  sameStart,
  type Scalar,
  type SealedObject,
  sealObject,
  type SelectedVersion,
  selectVersion,
  setField,
  sha256,
  type Sighting,
  type SightingListener,
  silentLogger,
  sizeOf,
  type StaticReference,
  staticReference,
  storable,
  type StoredMetadata,
  type StoredVersion,
  StoreError,
  type StoreErrorCode,
  type StoreSupports,
  toJson,
  unreadFileBody,
  verifyImport,
  type VerifyReport,
  verifyVersion,
  type VersionedName,
  versionedName,
  type VersionPoint,
  type VersionProblem,
  type VersionSelector,
  viewFields,
  viewValues,
  type WantedFile,
  type Watcher,
  type WrittenVersion,
  writtenVersion,
  WatcherError,
  type WatcherErrorCode,
} from "@self-context-manager/objects";
export { argsDisplay } from "./chat/args-display.ts";
export { chatContent } from "./chat/chat-content.ts";
export type { Compaction } from "./chat/chat-document.ts";
export {
  type AssistantMessage,
  type Block,
  type ImageBlock,
  isImage,
  isText,
  isToolCall,
  type Message,
  type OpaqueMessage,
  type SummaryMessage,
  type TextBlock,
  textOf,
  type ToolCallBlock,
  type ToolResultMessage,
  type UserMessage,
} from "./chat/message.ts";
export { hasSignedThinking, withoutSignedThinking } from "./chat/signed-thinking.ts";
export {
  type AssistantStep,
  callsOf,
  isAssistantStep,
  type OpaqueStep,
  type Step,
  type Turn,
} from "./chat/turn.ts";
export {
  cacheModel,
  type CacheState,
  coldReason,
  type ColdReason,
  isCold,
} from "./cost/cache-state.ts";
export { calibratedEstimator, type Calibration } from "./cost/calibrated-estimator.ts";
export {
  type CostAccount,
  costRatio,
  countCall,
  type CountedCall,
  countReport,
  emptyAccount,
  reportedProfile,
} from "./cost/cost-account.ts";
export {
  estimatedCost,
  type EstimatedCost,
  pricedUsage,
  tierFactor,
} from "./cost/estimated-cost.ts";
export {
  prefixStability,
  type PrefixStability,
  type SentMessage,
} from "./cost/prefix-stability.ts";
export {
  type ModelCost,
  type ModelFacts,
  type PriceProfile,
  priceProfile,
} from "./cost/price-profile.ts";
export type { PriceTier } from "./cost/price-table.ts";
export { reportedUsage, type ReportedUsage } from "./cost/reported-usage.ts";
export { type ThinkingBinding, thinkingBinding } from "./cost/thinking-binding.ts";
export type { MediaFacts } from "./cost/media-facts.ts";
export type { TokenEstimator } from "./cost/token-estimator.ts";
export type { HarnessAdapter, HarnessSupports } from "./host/harness-adapter.ts";
export type { HostSession } from "./host/host-session.ts";
export type { FileRendering } from "./host/file-rendering.ts";
export {
  type ComparedLists,
  identityName,
  type MarkedList,
  markedList,
} from "./host/marked-list.ts";
export type { MessageCodec, MessageIdentity } from "./host/message-codec.ts";
export { isThinkingRefusal } from "./host/thinking-refusal.ts";
export type { CallFacts, CallKind } from "./calls/call-kind.ts";
export { commandWords } from "./calls/command-words.ts";
export { type Execution, executionField, executionIn, type ToolEffect } from "./calls/execution.ts";
export { type ArgumentForm, type KnownTool, knownTool } from "./calls/known-tools.ts";
export { type ToolFacts, usualToolFacts } from "./calls/tool-facts.ts";
export {
  type ActivationPolicy,
  argumentsKey,
  type CallTime,
  type PolicyInput,
  type PolicyObject,
  type UseKey,
} from "./policy/activation-policy.ts";
export {
  type RecentlyUsedOptions,
  recentlyUsedPolicy,
  recentlyUsedSettings,
} from "./policy/recently-used-policy.ts";
export { windowPolicy, type WindowPolicyOptions } from "./policy/window-policy.ts";
export type {
  ActiveObject,
  CacheCost,
  EpochEnd,
  EpochFigures,
  Departure,
  EpochPlace,
  HeldTexts,
  Layout,
  LayoutInput,
  LayoutOutput,
  Liveness,
  PoolTokens,
  ShownObject,
  ViewMessage,
} from "./view/layout.ts";
export { messagesHash } from "./view/message-hash.ts";
export type { PoolEntry } from "./view/pool-entry.ts";
export {
  leftOutOf,
  leftOutRows,
  type LeftOut,
  type MessagePlace,
  placesOf,
} from "./view/left-out.ts";
export { contentParts, handlesShown, type ShownPart, type ViewEntry } from "./view/view-entry.ts";
export { viewRecord } from "./view/view-object.ts";
export type { ViewRecord } from "./view/view-record.ts";
export type { NamedVersion, ViewSource } from "./view/view-source.ts";
export { hasOwnLine, isOwnLine, type OwnLine, ownLines } from "./lines/own-lines.ts";
export { contentBlock } from "./render/content-block.ts";
export { messageTokens } from "./render/message-tokens.ts";
export { poolLine, resultLine } from "./render/reference-line.ts";
export { shortName } from "./render/short-name.ts";
export { pooledLayout } from "./layouts/pooled/pooled-layout.ts";
export { epochLayout } from "./layouts/epoch/epoch-layout.ts";
export { defaultEpochSettings, type EpochSettings } from "./layouts/epoch/epoch-settings.ts";
export type { FileChange, NewFile, NewVersion, OtherChange } from "./files/file-change.ts";
export { type FileTracker, fileTracker, type FileTrackerOptions } from "./files/file-tracker.ts";
export type { SessionDependencies } from "./state/session-scope.ts";
export type { ManagerSummary } from "./history/foreign-handles.ts";
export type { HostSignals, IngestReport } from "./history/ingest-messages.ts";
export { answerDetails, hostText, type ToolAnswer } from "./session/answers.ts";
export type { ActivateRange } from "./session/chosen-range.ts";
export type {
  CallOptions,
  ContextSession,
  ListedObject,
  SessionStatus,
  WriteOptions,
} from "./session/context-session.ts";
export { openContextSession } from "./session/open-context-session.ts";
export {
  type ContextTool,
  contextTools,
  renamedContextTools,
  renamedInstruction,
  standingInstruction,
} from "./session/context-tools.ts";
export type { ReadRequest } from "./session/read-file.ts";
export {
  openRehearsal,
  type Rehearsal,
  type RehearsedCall,
  type RehearsedSummary,
  type StoredRehearsal,
} from "./session/rehearsal.ts";
export type { RefusedRequest } from "./session/learn-refusal.ts";
export type { View, ViewOptions } from "./session/view-options.ts";
export {
  compareViews,
  type MessageDifference,
  type ViewDifference,
} from "./inspect/compare-views.ts";
export {
  type DescribedEntry,
  describeEntries,
  namedVersions,
  type VersionName,
} from "./view/describe-entries.ts";
export type {
  CallSummary,
  ListedCall,
  RebuiltView,
  SentPrompt,
  ViewProblem,
} from "./inspect/rebuilt-view.ts";
export { rebuildView, viewHistory, type ViewHistory } from "./inspect/view-history.ts";
