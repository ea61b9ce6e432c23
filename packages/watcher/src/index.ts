export { diskFiles, type DiskFilesOptions } from "./disk-files.ts";
export type { WatchTiming } from "./settling.ts";
export { watchFiles, type WatchFilesOptions } from "./watch-files.ts";
