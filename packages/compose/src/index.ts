export { markdownParser } from "@self-context-manager/documents";
export { callPatience } from "./call-patience.ts";
export {
  configFromEnvironment,
  type EnvironmentConfig,
  environmentVariables,
} from "./config-from-environment.ts";
export { ConfigError } from "./config-error.ts";
export { type ContextManager, openContextManager } from "./context-manager.ts";
export type {
  ContextManagerOptions,
  PolicyOptions,
  XtdbOptions,
} from "./context-manager-options.ts";
export { type LayoutKind, layoutKinds, type StoreKind, storeKinds } from "./kinds.ts";
export { everyLayout } from "./layouts.ts";
export { folderFiles } from "./folder-files.ts";
export { indexFolder, type IndexedFolder, type IndexFolderOptions } from "./index-folder.ts";
export { openDocuments, type OpenedDocuments } from "./open-documents.ts";
export { openStore, type OpenStoreOptions } from "./open-store.ts";
export {
  backupStore,
  type BackupContent,
  restoreStore,
  type RestoreReport,
} from "./store-backup.ts";
export {
  type CheckedVersion,
  checkedVersions,
  databaseDamage,
  indexDamage,
  searchIndexDamage,
} from "./store-check.ts";
export { repairStore, type RepairOptions, type RepairReport } from "./store-repair.ts";
export { fileSizes, type SizedFile, storeFiles } from "./store-sizes.ts";
export type { StorePlace } from "./search-path.ts";
export { isSessionOpen } from "./session-presence.ts";
export {
  type SessionSettings,
  sessionSettings,
  type SessionSettingsOptions,
} from "./session-settings.ts";
export { isNodeUrl, type Platform, storePath } from "./store-path.ts";
export { findSecrets, type KnownMarks, markIds } from "@self-context-manager/secrets";
export { secretMarks, secretsPath, storeMask, type StoreMaskOptions } from "./store-mask.ts";
export { systemClock } from "./system-clock.ts";
export { urlSummarizer, type UrlSummarizerOptions } from "./url-summarizer.ts";
export { uuidIds } from "./uuid-ids.ts";
export {
  type StartXtdbNodeOptions,
  type XtdbNode,
  xtdbNode,
  type XtdbNodeStatus,
} from "./xtdb-node.ts";
