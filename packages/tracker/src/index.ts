export { fileAt, firstMadeAt } from "./file-at.ts";
export type { FileChange } from "./file-change.ts";
export {
  type FileChangeListener,
  type FileTracker,
  fileTracker,
  type FileTrackerOptions,
} from "./file-tracker.ts";
export { largeFile } from "./large-file.ts";
export {
  afterDeletion,
  afterNaming,
  afterRead,
  hasContentOf,
  type ReadContent,
} from "./next-version.ts";
export { type Draft, isWhole, storeDrafts } from "./store-drafts.ts";
export {
  filesOfFolder,
  nameFiles,
  type StoredFiles,
  storeFiles,
  type StoreFilesParts,
  type UnreadFile,
} from "./store-files.ts";
export { isInside, needsExplicitRead } from "./workspace-rule.ts";
