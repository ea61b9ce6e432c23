export {
  FileError,
  type FileErrorCode,
  ImportError,
  messageOf,
  type ImportErrorCode,
  StoreError,
  type StoreErrorCode,
  WatcherError,
  type WatcherErrorCode,
} from "./errors.ts";
export { taskQueue } from "./task-queue.ts";
export { canonicalJson } from "./model/canonical-json.ts";
export { composed, compositions } from "./model/composition.ts";
export { defined } from "./model/defined.ts";
export {
  type ContextOperation,
  operationNamed,
  renamedPrefix,
  usualOperation,
} from "./model/context-operation.ts";
export type {
  FileContent,
  FileFacts,
  FileIdentity,
  FileState,
  FolderEntry,
} from "./model/file-facts.ts";
export {
  diskState,
  fileBody,
  identifiedByPath,
  missingFileBody,
  movedFileBody,
  type Presence,
  presenceOf,
  unreadFileBody,
} from "./model/file-object.ts";
export { fileTypes } from "./model/file-type.ts";
export { grownText } from "./model/growing-text.ts";
export { hashFields } from "./model/hash-fields.ts";
export { hashObject, objectHashText, type ObjectHashes } from "./model/hashes.ts";
export {
  fieldsOf,
  isJsonList,
  isJsonObject,
  jsonObject,
  type JsonObject,
  type JsonValue,
  type LimitedJson,
  type MutableObject,
  setField,
  toJson,
  toJsonWithBase64,
  toLimitedJson,
} from "./model/json.ts";
export {
  areSameRanges,
  headRange,
  lineCount,
  type LineRange,
  linesOf,
  rangeOf,
  rangesWithin,
  type ReadLimits,
  sharedLines,
  withRange,
} from "./model/line-range.ts";
export { forgottenIn, type ForgottenNote, forgottenText } from "./model/forgotten-note.ts";
export { ownViewFields, viewFields } from "./model/metadata-view.ts";
export { isNickname, nicknameRule } from "./model/nickname.ts";
export {
  bulkFields,
  metadataOf,
  type ObjectBody,
  type ObjectMetadata,
  type Provenance,
} from "./model/object-body.ts";
export { isObjectId, type ObjectId, objectId } from "./model/object-id.ts";
export { oneLine } from "./model/one-line.ts";
export { opaqueAt, opaqueFields, type OpaqueInside } from "./model/opaque-fields.ts";
export type {
  FrontMatter,
  ParsedDocument,
  ParsedHeading,
  ParsedLink,
  ParsedTag,
} from "./model/parsed-document.ts";
export { passedOverFolders } from "./model/passed-over.ts";
export {
  type ChatPosition,
  collectReferences,
  type DynamicReference,
  escapePointer,
  isReference,
  type LocatedReference,
  type Reference,
  type StaticReference,
} from "./model/references.ts";
export { type SealedObject, sealObject, storable } from "./model/sealed-object.ts";
export { sha256 } from "./model/sha256.ts";
export { isShared, sharedBody } from "./model/shared-body.ts";
export {
  metadataVersion,
  staticReference,
  type StoredMetadata,
  type StoredVersion,
  type VersionPoint,
} from "./model/stored-version.ts";
export { verifyVersion, type VersionProblem } from "./model/verify-version.ts";
export type { Clock } from "./ports/clock.ts";
export type {
  DocumentIndex,
  IndexedLink,
  IndexedNames,
  IndexedObject,
  IndexEntry,
} from "./ports/document-index.ts";
export type { DocumentParser } from "./ports/document-parser.ts";
export type { FileSource } from "./ports/file-source.ts";
export type { IdSource } from "./ports/id-source.ts";
export { type Logger, silentLogger } from "./ports/logger.ts";
export type {
  Changes,
  ChangesOptions,
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
  RestoreOptions,
  Scalar,
  StoreSupports,
  VersionSelector,
} from "./ports/object-store.ts";
export type {
  ForgottenText,
  RewriteRequest,
  RewriteResult,
  StorePrivacy,
} from "./ports/store-privacy.ts";
export type { SearchHit, SearchIndex, SearchQuery, SearchText } from "./ports/search-index.ts";
export type { Patience } from "./ports/patience.ts";
export type { FoundText, TextMask } from "./ports/text-mask.ts";
export type {
  FileSearch,
  FileSighting,
  KnownFile,
  Sighting,
  SightingListener,
  WantedFile,
  Watcher,
} from "./ports/watcher.ts";
export {
  commonLength,
  continued,
  forgetGroups,
  groupLength,
  groupsLike,
  groupsOf,
  joined,
  type ListGroups,
  listOfGroups,
  sumOfGroups,
} from "./model/list-groups.ts";
export { madeOnce } from "./model/made-once.ts";
export { boundedMap } from "./store-kit/bounded-map.ts";
export { type BodyCache, bodyCache } from "./store-kit/body-cache.ts";
export { type ChainEnd, chainLink, type CountingChunkWriter } from "./store-kit/chain-link.ts";
export { checkedVersion } from "./store-kit/checked-version.ts";
export { checkNicknames, type ObjectChange } from "./store-kit/check-nicknames.ts";
export { applyDelta } from "./store-kit/delta-apply.ts";
export { applyDeltas } from "./store-kit/delta-chain.ts";
export { type Delta } from "./store-kit/delta-encode.ts";
export { heldTextKeys } from "./store-kit/text-parts.ts";
export { sharedSpan } from "./store-kit/text-span.ts";
export { type FieldRows, fieldRows, indexedValue } from "./store-kit/field-rows.ts";
export { fixedPatience } from "./store-kit/fixed-patience.ts";
export {
  changesPosition,
  readChangesPosition,
  readPlace,
  readReferrerPosition,
  writeReferrerPosition,
} from "./store-kit/page-position.ts";
export { meetsSelector } from "./store-kit/meets-selector.ts";
export { shareVersion } from "./store-kit/share-parts.ts";
export { versionsInOrder } from "./store-kit/versions-in-order.ts";
export { addForgotten, checkGeneration, rewrittenVersion } from "./store-kit/rewriting.ts";
export { sameStart } from "./store-kit/same-start.ts";
export { stageCommit } from "./store-kit/stage-commit.ts";
export {
  checkFollows,
  checkLimit,
  checkRepeated,
  checkSameVersion,
  checkWrites,
  compareText,
  type FieldCondition,
  fieldConditions,
  meetsCondition,
  normalTime,
  type PresentVersion,
  requestDigest,
} from "./store-kit/store-rules.ts";
export { isTransactionTime, laterPoint, mayFollow, timeOf } from "./store-kit/transaction-time.ts";
export { type ChunkReader, type ChunkWriter, deepFreeze } from "./store-kit/stored-form.ts";
export { bulkOf, metadataText, wholeVersion } from "./store-kit/stored-body.ts";
export { lastChanged } from "./reading/last-changed.ts";
export { describeAll } from "./reading/describe-all.ts";
export { allItems, everyItem } from "./reading/every-item.ts";
export { selectVersion } from "./reading/select-version.ts";
export { versionedName, type WrittenVersion, writtenVersion } from "./model/version-name.ts";
export {
  type NamedReference,
  type ResolvedVersion,
  resolveReference,
  resolveVersion,
} from "./reading/resolve-reference.ts";
export { damageOf, readAround } from "./reading/read-around.ts";
export { type PatternStep, readPattern, select, type Selected, selects } from "./reading/select.ts";
export { exportHeader, readExportHeader } from "./portability/export-line.ts";
export { type ExportOptions, exportObjects } from "./portability/export-objects.ts";
export { type ExportHeader, importLimits, lineTooLong } from "./portability/import-limits.ts";
export { importObjects } from "./portability/import-objects.ts";
export type { ImportReport } from "./portability/check-import.ts";
export { verifyImport, type VerifyReport } from "./portability/verify-import.ts";
export { readStoredLink, storedLink } from "./store-kit/stored-link.ts";
