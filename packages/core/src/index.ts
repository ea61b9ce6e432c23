export {
  FileError,
  type FileErrorCode,
  ImportError,
  type ImportErrorCode,
  StoreError,
  type StoreErrorCode,
  WatcherError,
  type WatcherErrorCode,
} from "./errors.ts";
export { applyDelta } from "./deltas/delta-apply.ts";
export { applyDeltas } from "./deltas/delta-chain.ts";
export { type Delta, encodeDelta, encodeWhole } from "./deltas/delta-encode.ts";
export { sameStart } from "./deltas/same-start.ts";
export {
  type ChunkReader,
  type ChunkWriter,
  deepFreeze,
  type MutableObject,
  setField,
  sizeOf,
} from "./deltas/stored-form.ts";
export {
  cacheModel,
  type CacheState,
  coldReason,
  type ColdReason,
  isCold,
} from "./cost/cache-state.ts";
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
  type PriceTier,
} from "./cost/price-profile.ts";
export { reportedUsage, type ReportedUsage } from "./cost/reported-usage.ts";
export { canonicalJson } from "./objects/canonical-json.ts";
export {
  contentFields,
  hashFields,
  hashObject,
  type ObjectHashes,
  sha256,
} from "./objects/hashes.ts";
export { isJsonObject, type JsonObject, type JsonValue, toJson } from "./objects/json.ts";
export { viewFields, viewValues } from "./objects/metadata-view.ts";
export {
  bulkFields,
  metadataOf,
  type ObjectBody,
  type ObjectMetadata,
  type Provenance,
} from "./objects/object-body.ts";
export { isNickname, nicknameRule } from "./objects/nickname.ts";
export { isObjectId, objectId, type ObjectId } from "./objects/object-id.ts";
export {
  type ChatPosition,
  collectReferences,
  escapePointer,
  type DynamicReference,
  foreignFields,
  isReference,
  type LocatedReference,
  type Reference,
  type StaticReference,
} from "./objects/references.ts";
export { sealObject, type SealedObject, storable } from "./objects/sealed-object.ts";
export {
  resolveReference,
  type ResolvedVersion,
  resolveVersion,
} from "./objects/resolve-reference.ts";
export { verifyVersion, type VersionProblem } from "./objects/verify-version.ts";
export {
  staticReference,
  type StoredMetadata,
  type StoredVersion,
  type VersionPoint,
} from "./objects/stored-version.ts";
export type { Clock } from "./ports/clock.ts";
export type { FileContent, FileFacts, FileSource } from "./ports/file-source.ts";
export type { HarnessAdapter, HarnessSupports } from "./ports/harness-adapter.ts";
export type { IdSource } from "./ports/id-source.ts";
export { type Logger, silentLogger } from "./ports/logger.ts";
export { type FieldRows, fieldRows, indexedValue } from "./ports/field-rows.ts";
export type {
  Changes,
  CommitOptions,
  CommitResult,
  CommittedVersion,
  FindQuery,
  HistoryOptions,
  ObjectStore,
  ObjectWrite,
  Page,
  Referrer,
  ReferrersOptions,
  Scalar,
  StoreSupports,
  VersionSelector,
} from "./ports/object-store.ts";
export {
  checkFollows,
  checkLimit,
  checkWrites,
  compareText,
  type FieldCondition,
  fieldConditions,
  meetsCondition,
  normalTime,
  requestDigest,
} from "./ports/store-rules.ts";
export type {
  FileSearch,
  FileSighting,
  FileState,
  KnownFile,
  NoFileSighting,
  Sighting,
  SightingListener,
  WantedFile,
  Watcher,
} from "./ports/watcher.ts";
export type { TokenEstimator } from "./ports/token-estimator.ts";
export { exportHeader, type ExportHeader, readExportHeader } from "./portability/export-line.ts";
export { exportObjects } from "./portability/export-objects.ts";
export { importObjects, type ImportReport } from "./portability/import-objects.ts";
export { verifyImport, type VerifyReport } from "./portability/verify-import.ts";
export {
  fileBody,
  missingFileBody,
  type Presence,
  presenceOf,
  unreadFileBody,
} from "./objects/file-object.ts";
export { fileType, fileTypes } from "./objects/file-type.ts";
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
export {
  type AssistantStep,
  isAssistantStep,
  type OpaqueStep,
  type Step,
  type Turn,
} from "./chat/turn.ts";
export { type CallFacts, type CallKind, commandFacts, patchedPaths } from "./ingest/call-kind.ts";
export {
  type Execution,
  executionField,
  executionIn,
  type ToolEffect,
} from "./ingest/execution.ts";
export type { HostSignals, IngestReport } from "./ingest/ingest-messages.ts";
export type { MessageCodec, MessageIdentity } from "./ingest/message-codec.ts";
export { epochLayout } from "./epochs/epoch-layout.ts";
export { defaultEpochSettings, type EpochSettings } from "./epochs/epoch-settings.ts";
export type {
  ActiveObject,
  CacheCost,
  EpochEnd,
  EpochFigures,
  Layout,
  LayoutInput,
  LayoutOutput,
  Liveness,
  PoolTokens,
  ShownObject,
  ViewMessage,
} from "./layout/layout.ts";
export { messageTokens } from "./layout/message-tokens.ts";
export { pooledLayout } from "./layout/pooled-layout.ts";
export { poolLine, resultLine } from "./layout/reference-line.ts";
export { textBlock } from "./layout/content-block.ts";
export { shortName } from "./layout/short-name.ts";
export type {
  ActivationPolicy,
  CallTime,
  PolicyInput,
  PolicyObject,
  UseKey,
} from "./policy/activation-policy.ts";
export {
  type RecentlyUsedOptions,
  recentlyUsedPolicy,
  recentlyUsedSettings,
} from "./policy/recently-used-policy.ts";
export { windowPolicy, type WindowPolicyOptions } from "./policy/window-policy.ts";
export type { ToolAnswer } from "./session/answers.ts";
export type { ActivateRange } from "./session/change-activation.ts";
export {
  answerDetails,
  type CallOptions,
  type ContextSession,
  type ListedObject,
  openContextSession,
  type SessionStatus,
  type View,
  type ViewOptions,
} from "./session/context-session.ts";
export type { LineRange, ReadLimits } from "./session/line-range.ts";
export {
  openRehearsal,
  type RehearsedCall,
  type RehearsedSummary,
  type Rehearsal,
  type StoredRehearsal,
} from "./session/rehearsal.ts";
export type { HostSession } from "./session/open-state.ts";
export type { ReadRequest } from "./session/read-file.ts";
export type { SessionDependencies } from "./session/session-scope.ts";
export type { PoolEntry } from "./session/session-state.ts";
export { type Calibration, calibratedEstimator } from "./tokens/calibrated-estimator.ts";
export { messagesHash } from "./views/message-hash.ts";
export { argumentsKey, contentParts, type ShownPart, type ViewEntry } from "./views/view-entry.ts";
export {
  compareViews,
  type MessageDifference,
  type ViewDifference,
} from "./views/compare-views.ts";
export { type DescribedEntry, describeEntries, type VersionName } from "./views/manifest.ts";
export type {
  CallSummary,
  ListedCall,
  RebuiltView,
  SentPrompt,
  ViewProblem,
} from "./views/rebuilt-view.ts";
export { rebuildView, viewHistory, type ViewHistory } from "./views/view-history.ts";
export { viewRecord } from "./views/view-object.ts";
export type { ViewRecord } from "./views/view-record.ts";
export type { NamedVersion, ViewSource } from "./views/render-entry.ts";
export { type ToolFacts, usualToolFacts } from "./ingest/tool-facts.ts";
export type { FileChange, NewFile, NewVersion, OtherChange } from "./watch/file-change.ts";
export { type FileTracker, fileTracker, type FileTrackerOptions } from "./watch/file-tracker.ts";
export { type ContextTool, contextTools, standingInstruction } from "./tools/context-tools.ts";
