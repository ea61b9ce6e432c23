export {
  openXtdbStore,
  type XtdbQueryOptions,
  type XtdbStore,
  type XtdbStoreOptions,
} from "./open-xtdb-store.ts";
