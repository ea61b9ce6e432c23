export type { AsOf } from "./reading/as-of.ts";
export type { VersionList } from "./reading/changes-since.ts";
export {
  type Artefacts,
  backupNode,
  databaseDamage,
  type JoinedNode,
  joinNode,
  type JoinNodeOptions,
  NodeError,
  type NodeErrorCode,
  type NodeMemory,
  type NodeOptions,
  type NodeStatus,
  nodeStatus,
  type NodeStorage,
  prepareNode,
  type PrepareOptions,
  restoreNode,
  type StartedNode,
  startNode,
  type StartNodeOptions,
  stopNode,
} from "./node/index.ts";
export { type LocalXtdbStoreOptions, openLocalXtdbStore } from "./open-local-xtdb-store.ts";
export {
  openXtdbStore,
  type XtdbQueryOptions,
  type XtdbStore,
  type XtdbStoreOptions,
} from "./open-xtdb-store.ts";
