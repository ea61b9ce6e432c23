import type { JsonObject, JsonValue } from "@self-context-manager/objects";
import type { ToolAnswer } from "./answers.ts";
import type { ContextSession } from "./context-session.ts";

/** A tool for the model, in a neutral form from which an adapter makes a tool of its harness. */
export interface ContextTool {
  readonly name: "read" | "activate" | "deactivate" | "pin" | "unpin";
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  /** Runs the tool. Bad arguments give a refusal, not an error. Rejects only with `StoreError`. */
  run(session: ContextSession, args: JsonObject, callId: string): Promise<ToolAnswer>;
}

const targetParameter = {
  type: "string",
  description: "Handle (f1, t3), id, nickname or path of an object.",
} as const;

function targetTool(name: "deactivate" | "pin" | "unpin", description: string): ContextTool {
  return {
    name,
    description,
    parameters: {
      type: "object",
      properties: { id: targetParameter },
      required: ["id"],
      additionalProperties: false,
    },
    run: async (session, args, callId) => await session[name](textArgument(args, "id"), { callId }),
  };
}

/** The tools by which the model controls its context. */
export const contextTools: readonly ContextTool[] = [
  {
    name: "read",
    description:
      "Open a file: it is indexed, joins the known objects and becomes active, so that its content is in the context. What is there already is not shown again. For objects that are known already use activate.",
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
      "Show a known object's content in the context again, whole: a tool's earlier output, a file, or some lines of it.",
    parameters: {
      type: "object",
      properties: {
        id: targetParameter,
        from: { type: "number", description: "First line, from 1; without it the whole." },
        to: { type: "number", description: "Last line." },
      },
      required: ["id"],
      additionalProperties: false,
    },
    run: async (session, args, callId) =>
      await session.activate(
        textArgument(args, "id"),
        { ...lineArgument(args, "from"), ...lineArgument(args, "to") },
        { callId },
      ),
  },
  targetTool(
    "deactivate",
    "Let an object's content leave the context. A line with its handle stays, and activate brings it back.",
  ),
  targetTool(
    "pin",
    "Keep an object active until it is unpinned or deactivated; activates it first.",
  ),
  targetTool("unpin", "Let a pinned object leave the context again by itself."),
];

/**
 * The standing instruction for the model. It is true of every layout, and its bytes are constant, so that the prompt
 * cache stays valid.
 */
export const standingInstruction = `# Context objects
Files and tool outputs are objects with handles: f1 is a file, t3 a tool call. What was not used lately leaves the context, and nothing is lost: [t3 ok, 4.1k chars] without a content means that it has left, and activate t3 brings it back (from and to for some lines). Contents stand between rows of tildes under a header with their handle; what is shown in part says so.
- read opens a file, activate HANDLE shows an object again, deactivate HANDLE lets it leave, pin HANDLE keeps it. A file that changes is shown in its newest version.
- In your earlier calls [1200 characters, now in f3 v2] stands for arguments that have left. Never write such a note yourself: give arguments in full.
- Do not read again what is shown. Activate narrowly, deactivate what you are done with.
- Write what you learn to Markdown notes, often: they stay when outputs leave.`;

function textArgument(args: JsonObject, name: string): string {
  const value: JsonValue | undefined = args[name];
  return typeof value === "string" ? value : "";
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
