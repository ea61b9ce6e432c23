import type { OpenClawMessage } from "./openclaw-messages.ts";

// The parts of OpenClaw's plugin API that the adapter uses. The host's own declarations are in `openclaw/plugin-sdk`.

/** The API that OpenClaw passes to a plugin. */
export interface OpenClawApi {
  readonly registrationMode: string;
  readonly config: unknown;
  /** The settings of this plugin, checked by the schema of its manifest. */
  readonly pluginConfig?: unknown;
  readonly logger: OpenClawLogger;
  readonly runtime: {
    readonly llm?: { readonly complete?: CompleteText };
    readonly agent?: {
      readonly resolveAgentWorkspaceDir?: (config: unknown, agentId: string) => string;
      readonly session?: {
        readonly getSessionEntry?: (where: SessionPlace) => SessionEntry | undefined;
      };
    };
  };
  registerContextEngine(id: string, factory: (where: EngineWhere) => ContextEngine): void;
  registerTextTransforms?(transforms: {
    readonly input: readonly { readonly from: RegExp; readonly to: string }[];
  }): void;
  registerAgentToolResultMiddleware?(
    handler: (event: ToolResultEvent, context: HookContext) => Promise<undefined>,
    options: { readonly runtimes: readonly string[] },
  ): void;
  registerTool(
    factory: (context: HookContext) => OpenClawTool | undefined,
    options: { readonly name: string },
  ): void;
  registerCommand?(command: OpenClawCommand): void;
  on(
    hook: string,
    handler: (event: JsonLike, context: HookContext) => unknown,
    options?: { readonly priority?: number },
  ): void;
}

/** Completes one request with a model of the host, outside its sessions. Rejects if the provider fails. */
export type CompleteText = (request: {
  readonly messages: readonly { readonly role: "user"; readonly content: string }[];
  readonly systemPrompt: string;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  readonly purpose: string;
  readonly model?: string;
}) => Promise<{
  readonly text: string;
  readonly provider: string;
  readonly model: string;
  readonly usage?: {
    readonly inputTokens?: number;
    readonly outputTokens?: number;
    readonly cacheReadTokens?: number;
    readonly cacheWriteTokens?: number;
    readonly costUsd?: number;
  };
}>;

type JsonLike = Readonly<Record<string, unknown>>;

export interface OpenClawLogger {
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** A conversation of an agent. Its session is another one after a reset. */
export interface SessionPlace {
  readonly agentId: string;
  readonly sessionKey: string;
}

export interface SessionEntry {
  readonly sessionId?: string;
  /** Changes when the session is reset. Absent before the first reset. */
  readonly lifecycleRevision?: string;
}

/** Where an engine is made: for each turn of an agent. */
export interface EngineWhere {
  readonly workspaceDir?: string;
  readonly agentDir?: string;
}

export interface HookContext {
  readonly agentId?: string;
  readonly sessionKey?: string;
  readonly sessionId?: string;
}

/** The result of a tool, before the model and the transcript get it. */
export interface ToolResultEvent {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
  readonly isError?: boolean;
  readonly result: { readonly content?: unknown };
}

export interface OpenClawTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: object;
  readonly catalogMode: "direct-only";
  execute(
    callId: string,
    args: unknown,
  ): Promise<{
    readonly content: readonly { readonly type: "text"; readonly text: string }[];
    readonly details: unknown;
  }>;
}

interface OpenClawCommand {
  readonly name: string;
  readonly description: string;
  readonly acceptsArgs: boolean;
  handler(context: HookContext & { readonly args?: string }): Promise<{ readonly text: string }>;
}

/** What the host passes to an engine before each request. */
export interface AssembleParameters {
  readonly sessionId: string;
  readonly sessionKey?: string;
  /** The messages before the current turn. */
  readonly messages: readonly OpenClawMessage[];
  readonly tokenBudget?: number;
  readonly availableTools?: ReadonlySet<string>;
  readonly citationsMode?: unknown;
  readonly runtimeSettings?: {
    readonly model?: {
      readonly provider?: string | null;
      readonly resolved?: string | null;
    };
    readonly limits?: { readonly promptTokenBudget?: number | null };
  };
}

export interface AssembleResult {
  readonly messages: readonly OpenClawMessage[];
  readonly estimatedTokens: number;
  readonly systemPromptAddition?: string;
}

export interface CompactParameters {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId?: string;
  readonly currentTokenCount?: number;
  readonly runtimeContext?: { readonly trigger?: unknown };
}

export interface CompactResult {
  readonly ok: boolean;
  readonly compacted: boolean;
  readonly reason?: string;
  readonly result?: { readonly tokensBefore: number; readonly tokensAfter?: number };
}

/** The engine of one turn. */
export interface ContextEngine {
  readonly info: {
    readonly id: string;
    readonly name: string;
    readonly ownsCompaction: true;
    readonly transcriptSemantics: {
      readonly currentTurnFence: "before-current-turn-entry-v1";
      readonly turnAdvancementIdempotency: "atomic-idempotent-v1";
    };
  };
  ingest(): Promise<{ readonly ingested: boolean }>;
  assemble(parameters: AssembleParameters): Promise<AssembleResult>;
  compact(parameters: CompactParameters): Promise<CompactResult>;
  commitTurn(parameters: {
    readonly advancementKey: string;
    readonly sessionKey?: string;
  }): Promise<{
    readonly status: "committed" | "duplicate";
  }>;
  dispose(): Promise<void>;
}
