export { diskFiles, type DiskFilesOptions } from "./disk-files.ts";
