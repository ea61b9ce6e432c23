export { packText, unpackText } from "./packed-text.ts";
export { openSqliteStore, type SqliteStoreOptions } from "./open-sqlite-store.ts";
