/** A value of the host whose fields are checked one by one. */
export type Fields = Readonly<Record<string, unknown>>;

/** A message in the form that Pi's hooks pass and accept. */
export type PiMessage = Fields & { readonly role: string };

/** The part of Pi's context object that every supported release has. */
export interface PiContext {
  readonly cwd: string;
  readonly hasUI: boolean;
  readonly ui: {
    notify(message: string, type?: "info" | "warning" | "error"): void;
    setStatus(key: string, text: string | undefined): void;
  };
  /** Newer releases have more fields; each is checked before it is used. */
  readonly model?: (Fields & { readonly contextWindow?: number }) | undefined;
  /** The models that the user can choose. Since 0.87 it completes requests with them. */
  readonly modelRegistry?: unknown;
  readonly sessionManager: {
    getSessionId(): string;
    /** Returns undefined for a session that is kept in memory only. */
    getSessionFile?(): string | undefined;
    /** All entries of the session, in the order in which they were made. */
    getEntries?(): readonly unknown[];
    /** The entries from the first one to the present end of the session. */
    getBranch?(): readonly unknown[];
    /** Since 0.87, which stores each message before the next request. */
    readonly buildSessionProjection?: unknown;
  };
}

export interface PiContent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A tool's result in Pi's form. */
interface PiToolResult {
  readonly content: readonly PiContent[];
  readonly details: unknown;
}

/** A tool as Pi accepts it; every release accepts plain JSON Schema for the parameters. */
export interface PiTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: unknown;
  execute(
    callId: string,
    args: unknown,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    context: PiContext,
  ): Promise<PiToolResult>;
}

/** Reports that a tool is about to run. */
export interface ToolCallEvent {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
}

export interface ToolResultEvent {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
  readonly content: unknown;
  readonly details?: unknown;
  readonly isError: boolean;
}

export interface BeforeCompactEvent {
  readonly preparation: {
    readonly firstKeptEntryId: string;
    readonly tokensBefore: number;
    readonly settings?: { readonly enabled?: boolean; readonly reserveTokens?: number };
    /** The messages for the summarizer, which reads them after the hook. */
    readonly messagesToSummarize?: unknown[];
    /** The beginning of a turn that the compaction divides; it is summarized separately. */
    readonly turnPrefixMessages?: readonly unknown[];
    previousSummary?: string | undefined;
  };
  readonly branchEntries?: readonly unknown[];
  readonly customInstructions?: string | undefined;
  /** Since 0.79.10. */
  readonly reason?: "manual" | "threshold" | "overflow";
}

/** The events that the adapter listens to, with the fields it reads. */
export interface PiEvents {
  readonly session_start: { readonly reason?: string };
  readonly session_shutdown: { readonly reason?: string };
  readonly session_tree: Fields;
  readonly session_before_compact: BeforeCompactEvent;
  readonly session_compact: { readonly compactionEntry?: unknown };
  readonly before_agent_start: { readonly systemPrompt: string };
  readonly context: { readonly messages: readonly unknown[] };
  readonly before_provider_request: { readonly payload: unknown };
  readonly message_start: { readonly message: unknown };
  readonly message_end: { readonly message: unknown };
  readonly tool_call: ToolCallEvent;
  readonly tool_result: ToolResultEvent;
  readonly agent_end: Fields;
  /** Since 0.80.4: the run is at rest. */
  readonly agent_settled: Fields;
}

/** A text that the terminal offers as the arguments of a command. */
interface PiCompletion {
  readonly value: string;
  readonly label: string;
  readonly description: string;
}

/** The part of Pi's extension interface that the adapter uses; every supported release has it. */
export interface PiApi {
  on<Name extends keyof PiEvents>(
    name: Name,
    handler: (event: PiEvents[Name], context: PiContext) => unknown,
  ): unknown;
  registerTool(tool: PiTool): void;
  registerCommand(
    name: string,
    command: {
      readonly description: string;
      /** Offers texts that replace the arguments before the cursor. Only the terminal asks for them. */
      getArgumentCompletions?(args: string): Promise<PiCompletion[] | null>;
      handler(args: string, context: PiContext): Promise<void>;
    },
  ): void;
  registerFlag(
    name: string,
    flag: { readonly description: string; readonly type: "boolean"; readonly default: boolean },
  ): void;
  getFlag(name: string): boolean | string | undefined;
  getActiveTools(): string[];
  getAllTools(): readonly unknown[];
  setActiveTools(names: string[]): void;
}

/**
 * A type to which every release's own extension interface can be assigned. It has the names that `PiApi` uses; the
 * tests that run on each release check the arguments.
 */
export interface PiHost {
  on(name: never, handler: never): unknown;
  registerTool(tool: never): void;
  registerCommand(name: string, command: never): void;
  registerFlag(name: string, flag: never): void;
  getFlag(name: string): boolean | string | undefined;
  getActiveTools(): string[];
  getAllTools(): readonly unknown[];
  setActiveTools(names: string[]): void;
}

/** Whether a value of the host is an object with fields. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
