export { agentContext, type AgentContext, type AgentContextOptions } from "./agent-context.ts";
export type { AgentToolLike, AgentToolResultLike, ContextAgentTool } from "./agent-tools.ts";
export { isOwnSummary } from "./own-summary.ts";
export type { OpenContext, OpenedContext } from "./opened-context.ts";
export type { PiApi, PiContext, PiHost, PiMessage, PiTool } from "./pi-api.ts";
export { piAdapter } from "./pi-adapter.ts";
export { piAgentAdapter } from "./pi-agent-adapter.ts";
export { piCodec, piMessage } from "./pi-codec.ts";
export { piExtension, type PiExtensionOptions } from "./pi-extension.ts";
