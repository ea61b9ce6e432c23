import { isJsonObject, type JsonObject } from "@self-context-manager/objects";

import type { Reply } from "../loopback/loopback-reply.ts";
import type { Move } from "../model/task.ts";
import { hostTools, type HostTools, type PlannedCall } from "./host-tools.ts";
import type { LogEntry, Mind } from "./mind.ts";
import { serveMind, type TestModel, type TestModelApi } from "./serve-mind.ts";

/** A row of a recorded session in the neutral format. Only the fields that a model needs. */
export interface RecordedRow {
  readonly role: string;
  readonly content: unknown;
}

export interface RecordedModelOptions {
  readonly session: readonly RecordedRow[];
  /** Default: `anthropic-messages`. */
  readonly api?: TestModelApi;
  /** Tokens. A longer request is refused. Default: 200,000. */
  readonly contextWindow?: number;
}

/**
 * Opens a model that gives the answers of a recorded session in their order. Calls of the recorder's tools for files and
 * commands become calls of the host's. A call of another tool becomes a command that prints its name.
 */
export async function openRecordedModel(options: RecordedModelOptions): Promise<TestModel> {
  const { session, api = "anthropic-messages", contextWindow = 200_000 } = options;
  const log: LogEntry[] = [];
  const mind = recordedMind(session, log);
  return await serveMind({ id: "recorded", mind, api, contextWindow, log, failures: [] });
}

function recordedMind(session: readonly RecordedRow[], log: LogEntry[]): Mind {
  const answers = session.filter(({ role }) => role === "assistant");
  let made = 0;
  return {
    answer: ({ tools }) => {
      const answer = answers[made];
      made += 1;
      if (answer === undefined) {
        log.push({ deed: "answer", detail: "the recording has no further answer" });
        return { type: "text", text: "The recording ends here." };
      }
      const reply = replyOf(answer, hostTools(tools), `rec${String(made)}x`);
      const names = reply.type === "tool-calls" ? reply.calls.map(({ name }) => name) : [];
      log.push({
        deed: names.length > 0 ? "move" : "answer",
        move: made - 1,
        detail: names.join(),
      });
      return reply;
    },
  };
}

function replyOf({ content }: RecordedRow, tools: HostTools, prefix: string): Reply {
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const texts = blocks.flatMap(({ type, text }) => (type === "text" ? [said(text)] : []));
  const text = typeof content === "string" ? content : texts.join("\n");
  const calls = blocks.filter(({ type }) => type === "toolCall");
  const planned = calls.flatMap(({ name, arguments: args }, index) => {
    const call = hostCall(said(name), isJsonObject(args) ? args : {}, tools);
    // Ids of letters and digits only: OpenClaw removes all other characters.
    return call === undefined ? [] : [{ id: `${prefix}${String(index)}`, ...call }];
  });
  if (planned.length === 0) return { type: "text", text: text === "" ? "…" : text };
  return { type: "tool-calls", calls: planned, ...(text === "" ? {} : { text }) };
}

function hostCall(name: string, args: JsonObject, tools: HostTools): PlannedCall | undefined {
  const move = moveOf(name.toLowerCase(), args) ?? {
    type: "run",
    command: `echo ${JSON.stringify(`not recorded: ${name.replaceAll(/[^\w-]/gu, " ")}`)}`,
  };
  return move.type === "answer" ? undefined : tools.callOf(move);
}

/** Returns a recorded call as a move. `undefined`: it does something else than with a file or a command. */
function moveOf(name: string, args: JsonObject): Move | undefined {
  const path = first(args, "path", "file_path", "filePath");
  const command = first(args, "command", "cmd");
  if (command !== undefined && /bash|shell|exec|command/u.test(name))
    return { type: "run", command };
  if (path === undefined) return undefined;
  if (/^read|^view/u.test(name)) return { type: "read", path };
  const content = first(args, "content", "contents");
  if (/^write|^create/u.test(name) && content !== undefined)
    return { type: "write", path, content };
  const { edits } = args;
  const pair = Array.isArray(edits) && isJsonObject(edits[0]) ? edits[0] : args;
  const oldText = first(pair, "oldText", "old_string", "oldString");
  const newText = first(pair, "newText", "new_string", "newString");
  if (oldText === undefined || newText === undefined) return undefined;
  return { type: "edit", path, oldText, newText };
}

function first(args: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = args[name];
    if (typeof value === "string") return value;
    // Codex gives a command as a list whose last item is the line for the shell.
    if (Array.isArray(value) && typeof value.at(-1) === "string") return String(value.at(-1));
  }
  return undefined;
}

function said(value: unknown): string {
  return typeof value === "string" ? value : "";
}
