/** A message in a `context` event. */
export interface HookMessage {
  readonly role: string;
  content: unknown;
  readonly [field: string]: unknown;
}

/** The part of Pi's extension interface that the extensions of the scenarios use. Every supported release has it. */
export interface ExtensionHost {
  on(
    event: "tool_result",
    handler: (event: {
      readonly toolName: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly content: readonly TextBlock[];
      readonly details?: unknown;
    }) => { readonly content: readonly TextBlock[]; readonly details?: unknown } | undefined,
  ): void;
  on(
    event: "tool_call",
    handler: (event: {
      readonly toolName: string;
      /** The tool runs with the fields that it has after all handlers. */
      readonly input: Record<string, unknown>;
    }) => { readonly block: true; readonly reason: string } | undefined,
  ): void;
  on(
    event: "context",
    handler: (event: {
      readonly messages: readonly HookMessage[];
    }) => { readonly messages: readonly HookMessage[] } | undefined,
  ): void;
  on(event: "before_agent_start", handler: () => undefined): void;
  registerTool(tool: HostTool): void;
}

export interface TextBlock {
  readonly type: string;
  readonly text?: string;
}

interface HostTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: unknown;
  execute(
    callId: string,
    args: Readonly<Record<string, unknown>>,
    signal: unknown,
    onUpdate: unknown,
    context: { readonly cwd: string },
  ): Promise<{ readonly content: readonly TextBlock[]; readonly details: unknown }>;
}

/** Returns blocks with every text changed by a function. */
export function withTexts<Block extends TextBlock>(
  blocks: readonly Block[],
  change: (text: string) => string,
): readonly Block[] {
  return blocks.map((block) =>
    block.text === undefined ? block : { ...block, text: change(block.text) },
  );
}

/** Returns the JSON Schema of an object whose fields are texts and numbers. All texts are required. */
export function schema(
  fields: Readonly<Record<string, "string" | "number" | "array">>,
): Readonly<Record<string, unknown>> {
  const described = Object.entries(fields).map(([name, type]) => [name, { type }] as const);
  const required = Object.entries(fields).flatMap(([name, type]) =>
    type === "string" ? [name] : [],
  );
  return { type: "object", properties: Object.fromEntries(described), required };
}
