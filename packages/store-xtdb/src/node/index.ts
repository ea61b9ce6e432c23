export { backupNode, restoreNode } from "./backup.ts";
export { databaseDamage } from "./database-damage.ts";
export { type JoinedNode, joinNode, type JoinNodeOptions } from "./join-node.ts";
export type { NodeMemory } from "./jvm.ts";
export type { NodeStorage } from "./node-config.ts";
export { NodeError, type NodeErrorCode } from "./node-error.ts";
export { type NodeStatus, nodeStatus } from "./node-status.ts";
export type { Artefacts } from "./artefacts.ts";
export { prepareNode, type PrepareOptions } from "./prepare-node.ts";
export {
  type NodeOptions,
  startNode,
  type StartedNode,
  type StartNodeOptions,
  stopNode,
} from "./start-node.ts";
