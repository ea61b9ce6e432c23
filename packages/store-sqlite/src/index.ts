export { copySqliteStore, isSqliteStoreOpen } from "./copy-store.ts";
export { openSqliteStore, type SqliteStoreOptions } from "./open-sqlite-store.ts";
export { type FileVersion, openStoreFile, type StoreFile } from "./store-file-check.ts";
