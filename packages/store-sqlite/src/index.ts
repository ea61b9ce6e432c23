export { copySqliteStore, isSqliteStoreOpen } from "./copy-store.ts";
export { copySqlitePrivacy, sqlitePrivacy } from "./copy-privacy.ts";
export { openSqliteStore, type SqliteStoreOptions } from "./open-sqlite-store.ts";
export type { FileSizes, HeldText, ObjectRows, PageUse } from "./row-sizes.ts";
export { salvageSqliteFile } from "./salvage.ts";
export { type FileVersion, openStoreFile, type StoreFile } from "./store-file-check.ts";
