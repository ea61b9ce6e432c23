import {
  type ContextOperation,
  type JsonObject,
  type JsonValue,
  renamedPrefix,
} from "@self-context-manager/objects";
import { canReadFiles, usualToolFacts } from "../calls/tool-facts.ts";
import { argumentsOf, type ToolResultMessage } from "../chat/message.ts";
import { answerDetails, hostText, type ToolAnswer } from "./answers.ts";
import type { ContextSession } from "./context-session.ts";
import type { SessionTool, ToolDescription } from "./session-tool.ts";

/** A tool for the model, in a neutral form from which an adapter makes a tool of its harness. */
export interface ContextTool extends ToolDescription {
  /** Runs the tool. Bad arguments give a refusal, not an error. Rejects only with `StoreError`. */
  run(session: ContextSession, args: JsonObject, callId: string): Promise<ToolAnswer>;
}

// The model pays for each character of a description in each session, so names that explain themselves have none.
const textParameter = { type: "string" } as const;

const noteParameter = {
  note: { type: "string", description: "One line that stays with the object." },
} as const;

function targetTool(
  name: "deactivate" | "pin" | "unpin",
  description: string,
): ContextTool & { readonly name: ContextOperation } {
  return {
    name,
    description,
    parameters: {
      type: "object",
      properties: { id: textParameter, ...(name === "deactivate" ? noteParameter : {}) },
      required: ["id"],
      additionalProperties: false,
    },
    run: async (session, args, callId) =>
      await session[name](textArgument(args, "id"), {
        callId,
        ...(name === "deactivate" ? wordsArgument(args, "note") : {}),
      }),
  };
}

/** Returns the tools for the model, bound to a session. */
export function sessionTools(session: ContextSession): readonly SessionTool[] {
  return contextTools.map((tool) => ({
    ...tool,
    run: async (args, callId) => {
      const answer = await tool.run(session, argumentsOf(args), callId);
      return { ...answer, message: resultMessage(answer, tool.name, callId) };
    },
  }));
}

function resultMessage(
  answer: ToolAnswer,
  toolName: string,
  toolCallId: string,
): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName,
    content: [{ type: "text", text: hostText(answer) }],
    isError: !answer.ok,
    details: answerDetails(answer),
  };
}

/** The tools by which the model controls its context. */
export const contextTools: readonly (ContextTool & { readonly name: ContextOperation })[] = [
  {
    name: "read",
    description:
      "Open a file: it is indexed and becomes active, so its content is in the context. Content that is already shown is not repeated. For known objects use activate.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "Path of the file, relative or absolute." },
        offset: { type: "number", description: "First line to show, from 1." },
        limit: { type: "number", description: "How many lines to show at most." },
      },
      required: ["path"],
      additionalProperties: false,
    },
    run: async (session, args, callId) =>
      await session.read(
        {
          path: textArgument(args, "path"),
          ...lineArgument(args, "offset"),
          ...lineArgument(args, "limit"),
        },
        { callId },
      ),
  },
  {
    name: "activate",
    description:
      "Show a known object's content again: an earlier tool output, a file, or some lines of it.",
    parameters: {
      type: "object",
      properties: {
        id: {
          type: "string",
          description:
            "Handle (f1, t3), id, nickname or path of an object. f1@2: version 2 of f1; f1#Costs: a section; chat#t3: what was said around t3.",
        },
        from: { type: "number", description: "First line, from 1." },
        to: { type: "number" },
        turn: { type: "number", description: "Of a chat: shows this turn." },
        field: { type: "string", description: "headings, tags, links: only this." },
      },
      required: ["id"],
      additionalProperties: false,
    },
    run: async (session, args, callId) => {
      const id = textArgument(args, "id");
      const field = textArgument(args, "field").trim();
      const hasField = field !== "" && field !== "content";
      // A model that fills in every argument gives 0 for none.
      const turn = args["turn"] === 0 ? {} : lineArgument(args, "turn");
      if (hasField && turn.turn === undefined)
        return await session.showField(id, field, { callId });
      const lines = {
        ...lineArgument(args, "from"),
        ...lineArgument(args, "to"),
        ...turn,
        ...(hasField ? { field } : {}),
      };
      return await session.activate(id, lines, { callId });
    },
  },
  targetTool("deactivate", "Remove an object's content from the context; one line remains."),
  targetTool("pin", "Activate an object and keep it active until it is unpinned or deactivated."),
  targetTool("unpin", "Unpin an object, so it can become inactive."),
  {
    name: "find_objects",
    description: "Find notes, files and outputs of earlier sessions; activate shows them.",
    parameters: {
      type: "object",
      properties: {
        words: textParameter,
        tag: textParameter,
        relation: { type: "string", description: "part_of or part_of NAME." },
        path: textParameter,
        type: { type: "string", description: "note, file, toolcall, user, chat." },
        session: { type: "string", description: "this, or an id." },
      },
      required: [],
      additionalProperties: false,
    },
    run: async (session, args, callId) =>
      await session.find(
        {
          ...wordsArgument(args, "words"),
          ...wordsArgument(args, "tag"),
          ...wordsArgument(args, "relation"),
          ...wordsArgument(args, "path"),
          ...wordsArgument(args, "type"),
          ...wordsArgument(args, "session"),
        },
        { callId },
      ),
  },
];

/**
 * The standing instruction for the model. It is true of every layout, and its bytes are constant, so that the prompt
 * cache stays valid.
 */
export const standingInstruction = `# Context objects
Files and tool outputs are objects with handles: f1 is a file, t3 a tool call. Objects that were not used recently are removed from the context. Nothing is lost: [t3 ok, 4.1k chars] without content is a removed object; activate t3 shows it again (from and to for some lines). Contents are between rows of tildes under a header with their handle; partly shown content is marked.
- read opens a file, activate HANDLE shows an object again (f3@1: version 1 of f3), deactivate HANDLE removes it, pin HANDLE keeps it. A file that others change is reported; read it again to see it.
- In your earlier calls, [1200 characters, now in f3 v2] replaces removed arguments. Never write it yourself: give arguments in full.
- Do not read again what is shown. Activate narrowly; deactivate what you no longer need.
- Write findings to Markdown notes often, with #tags and [[links]]: they stay when outputs are removed. Look for earlier ones with find_objects first.`;

/** The context tools of a host whose other tools have their usual names. Each name has the prefix `context_`. */
export const renamedContextTools: readonly ContextTool[] = contextTools.map((tool) => ({
  ...tool,
  name: `${renamedPrefix}${tool.name}` as const,
  description: tool.description.replace(/\bactivate (?=shows)/u, `${renamedPrefix}activate `),
}));

/** The context tools under the names that they have beside a host's own tools. */
export interface NamedContextTools {
  /** Empty if even the other names are taken. Then the model cannot activate, and nothing may leave its messages. */
  readonly tools: readonly ContextTool[];
  /** The standing instruction with the names of these tools and of the tool that reads files. */
  readonly instruction: string;
}

/**
 * Returns the context tools for a host with tools of these names. There is no `read` if one of them reads files, by the
 * usual names of such tools. If one of the other names is taken, all are renamed, so that the model sees one rule.
 */
export function contextToolsBeside(hostTools: readonly string[]): NamedContextTools {
  const taken: ReadonlySet<string> = new Set(hostTools);
  const reader = hostTools.find((name) => canReadFiles(usualToolFacts, name));
  const areFree = (tools: readonly ContextTool[]): boolean =>
    tools.every(({ name }) => !taken.has(name));
  // `read` is the first one.
  const [usual, others] =
    reader === undefined
      ? [contextTools, renamedContextTools]
      : [contextTools.slice(1), renamedContextTools.slice(1)];
  if (areFree(usual)) return { tools: usual, instruction: namingReader(reader ?? "read") };
  const instruction = renamed(namingReader(reader ?? `${renamedPrefix}read`));
  return { tools: areFree(others) ? others : [], instruction };
}

function namingReader(reader: string): string {
  return standingInstruction.replace("- read opens", `- ${reader} opens`);
}

function renamed(instruction: string): string {
  return `${instruction}
- Your tools for objects are ${renamedNames()}, also where a line says activate HANDLE. Tools without ${renamedPrefix} do other work.`;
}

function renamedNames(): string {
  const usual = contextTools.map(({ name }) => name).filter((name) => name !== "read");
  return usual.map((name) => `${renamedPrefix}${name}`).join(", ");
}

function textArgument(args: JsonObject, name: string): string {
  const value: JsonValue | undefined = args[name];
  return typeof value === "string" ? value : "";
}

function wordsArgument<Name extends string>(
  args: JsonObject,
  name: Name,
): { readonly [name in Name]?: string } {
  const value = textArgument(args, name).trim();
  return (value === "" ? {} : { [name]: value }) as { readonly [name in Name]?: string };
}

function lineArgument<Name extends string>(
  args: JsonObject,
  name: Name,
): { readonly [name in Name]?: number } {
  const value = args[name];
  const number = typeof value === "string" ? Number(value) : value;
  const found =
    typeof number === "number" && Number.isFinite(number) ? { [name]: Math.trunc(number) } : {};
  return found as { readonly [name in Name]?: number };
}
