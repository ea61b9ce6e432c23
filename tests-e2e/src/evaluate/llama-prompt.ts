import type { WireMessage, WireRequest, WireTool } from "@self-context-manager/evaluate/loopback";

/** A part of a prompt; a mark has tokens of its own, and a text never contains any. */
export interface PromptPiece {
  readonly text: string;
  readonly isMark?: true;
}

/** Renders a request in the chat template of SmolLM2 (ChatML), with its tools in the system prompt. */
export function promptPieces({
  messages,
  tools,
}: Pick<WireRequest, "messages" | "tools">): readonly PromptPiece[] {
  const system = messages.filter(({ role }) => isSystem(role)).map(({ text }) => text);
  const turns = messages.filter(({ role }) => !isSystem(role));
  return [
    ...turn("system", [...system, ...toolTexts(tools)].join("\n\n")),
    ...turns.flatMap((message) => turn(roleOf(message), textOf(message))),
    { text: "<|im_start|>", isMark: true },
    { text: "assistant\n" },
  ];
}

function turn(role: string, text: string): readonly PromptPiece[] {
  return [
    { text: "<|im_start|>", isMark: true },
    { text: `${role}\n${text}` },
    { text: "<|im_end|>", isMark: true },
    { text: "\n" },
  ];
}

function isSystem(role: string): boolean {
  return role === "system" || role === "developer";
}

function roleOf({ role }: WireMessage): string {
  return role === "assistant" ? "assistant" : "user";
}

function textOf({ role, text, toolCalls }: WireMessage): string {
  if (role === "tool") return `<tool_response>\n${text}\n</tool_response>`;
  const calls = toolCalls.map(
    (call) =>
      `<tool_call>\n{"name":${JSON.stringify(call.name)},"arguments":${call.arguments}}\n</tool_call>`,
  );
  return [...(text === "" ? [] : [text]), ...calls].join("\n");
}

/** Name, parameters and first line of each tool: the window is short, and whole schemas fill half of it. */
function toolTexts(tools: readonly WireTool[]): readonly string[] {
  if (tools.length === 0) return [];
  const lines = tools.map(({ name, raw }) => {
    const { description, parameters } = functionOf(raw);
    return `${name}(${parameters.join(", ")}): ${description.split("\n", 1)[0] ?? ""}`;
  });
  return [
    `To call a tool, answer with <tool_call>{"name": NAME, "arguments": {...}}</tool_call>. The tools:\n${lines.join("\n")}`,
  ];
}

function functionOf(raw: unknown): {
  readonly description: string;
  readonly parameters: readonly string[];
} {
  const fields = fieldsOf(fieldsOf(raw)["function"]);
  const { description, parameters } = fields;
  return {
    description: typeof description === "string" ? description : "",
    parameters: Object.keys(fieldsOf(fieldsOf(parameters)["properties"])),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
