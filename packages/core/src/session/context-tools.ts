import {
  type ContextOperation,
  type JsonObject,
  type JsonValue,
  madeOnce,
  renamedPrefix,
  usualOperation,
} from "@self-context-manager/objects";
import { canReadFiles, usualToolFacts } from "../calls/tool-facts.ts";
import { argumentsOf, type ToolResultMessage } from "../chat/message.ts";
import { rawTokens } from "../cost/calibrated-estimator.ts";
import { answerDetails, hostText, type ToolAnswer } from "./answers.ts";
import type { ContextSession } from "./context-session.ts";
import type { SessionTool, ToolDescription } from "./session-tool.ts";

/** A tool for the model, in a neutral form from which an adapter makes a tool of its harness. */
export interface ContextTool extends ToolDescription {
  /** Runs the tool. Bad arguments give a refusal, not an error. Rejects only with `StoreError`. */
  run(session: ContextSession, args: JsonObject, callId: string): Promise<ToolAnswer>;
}

// The model pays for each character of a declaration in each request. Names that explain themselves have no description,
// and a description of the tool needs fewer characters than one of each parameter.
const text = { type: "string" } as const;
const number = { type: "number" } as const;

function targetTool(
  name: "deactivate" | "pin" | "unpin",
  description: string,
): ContextTool & { readonly name: ContextOperation } {
  return {
    name,
    description,
    parameters: {
      type: "object",
      properties: { id: text, ...(name === "deactivate" ? { note: text } : {}) },
      required: ["id"],
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
    description: "Open a file, or lines of it.",
    parameters: {
      type: "object",
      properties: {
        path: text,
        offset: { ...number, description: "First line, from 1." },
        limit: number,
      },
      required: ["path"],
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
      "Show an object: handle, path or name; f1@2: version 2; f1#Costs: section; chat#t3: talk there. field: headings, tags, links.",
    parameters: {
      type: "object",
      properties: { id: text, from: number, to: number, turn: number, field: text },
      required: ["id"],
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
  targetTool("deactivate", "Reduce an object to a line with your note."),
  targetTool("pin", "Keep an object."),
  targetTool("unpin", "Undo pin."),
  {
    name: "find_objects",
    description: "Find objects of any session. type: note, file, toolcall, user, chat.",
    parameters: {
      type: "object",
      properties: { words: text, tag: text, relation: text, path: text, type: text, session: text },
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
export const standingInstruction = `# Objects
Files (f1) and outputs (t3) are objects. Unused ones leave; activate t3 shows [t3 ok, 4.1k chars] again. Deactivate what you no longer need.
Never write [1200 characters, now in f3 v2]: it replaces old arguments.
Write findings to Markdown notes with #tags and [[links]]; find_objects finds them.`;

/** The context tools of a host whose other tools have their usual names. Each name has the prefix `context_`. */
export const renamedContextTools: readonly ContextTool[] = contextTools.map((tool) => ({
  ...tool,
  name: `${renamedPrefix}${tool.name}` as const,
}));

/** The context tools under the names that they have beside a host's own tools. */
export interface NamedContextTools {
  /** Empty if even the other names are taken. Then the model cannot activate, and nothing may leave its messages. */
  readonly tools: readonly ContextTool[];
  /** The standing instruction, with the names of these tools if they are renamed. */
  readonly instruction: string;
}

/**
 * Returns the context tools for a host with tools of these names. There is no `read` if one of them reads files, by the
 * usual names of such tools. If one of the other names is taken, all are renamed, so that the model sees one rule.
 */
export function contextToolsBeside(hostTools: readonly string[]): NamedContextTools {
  const taken: ReadonlySet<string> = new Set(hostTools);
  const canRead = hostTools.some((name) => canReadFiles(usualToolFacts, name));
  const areFree = (tools: readonly ContextTool[]): boolean =>
    tools.every(({ name }) => !taken.has(name));
  // `read` is the first one.
  const [usual, others] = canRead
    ? [contextTools.slice(1), renamedContextTools.slice(1)]
    : [contextTools, renamedContextTools];
  if (areFree(usual)) return { tools: usual, instruction: standingInstruction };
  return { tools: areFree(others) ? others : [], instruction: renamedInstruction };
}

/** Returns the JSON by which tools are declared to a model. A tool for reading files is one that every host has. */
export function declarations(tools: readonly ContextTool[]): readonly string[] {
  return tools
    .filter(({ name }) => usualOperation(name) !== "read")
    .map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }));
}

/** Characters of a token of a declaration: its signs come in groups that are one token, as in no other text. */
const charactersOfDeclaration = 4;

const counted = new WeakMap<NamedContextTools, number>();

/** Returns the estimated tokens of tools and their instruction. */
export function toolTokens(named: NamedContextTools): number {
  return madeOnce(counted, named, ({ tools, instruction }) => {
    const characters = declarations(tools).reduce((sum, { length }) => sum + length, 0);
    return Math.round(rawTokens(instruction) + characters / charactersOfDeclaration);
  });
}

const renamedInstruction = `${standingInstruction}
Your tools for objects begin with ${renamedPrefix}: where a line says activate, use ${renamedPrefix}activate. Tools without it do other work.`;

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
