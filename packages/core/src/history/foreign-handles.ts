import {
  isJsonObject,
  isObjectId,
  type JsonValue,
  type ObjectId,
} from "@self-context-manager/objects";
import { type Execution, executionIn } from "../calls/execution.ts";
import { type ToolFacts, usualToolFacts } from "../calls/tool-facts.ts";
import { isToolCall, type Message, textOf } from "../chat/message.ts";
import { handle } from "../lines/handles.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { SessionState } from "../state/session-state.ts";
import type { KnownToolcalls } from "./toolcall-ids.ts";

/** A handle in a report. A longer number is a name of something else, and would leave few handles. */
const named = new RegExp(`\\b(?=[a-z]\\d{1,6}\\b)${handle.pattern}\\b`, "gu");

/** The same in any other text, where a name of something else can look like a handle. */
const mentioned = new RegExp(`\\b(?=[a-z]\\d{1,4}\\b)${handle.pattern}\\b`, "gu");

/** A picture or a signature, in which two characters can look like a handle. */
const isData = /^\S{200,}$/u;

/** A summary by the context manager that the host has recorded, and that its list of messages does not contain. */
export interface ManagerSummary {
  readonly text: string;
  /** The id of the chat that the summary names. */
  readonly chatId?: string;
}

/** A host's history that is new to the store. */
export interface NewHistory {
  readonly messages: readonly Message[];
  readonly summaries: readonly ManagerSummary[];
  /** The calls of the history whose objects the store knows. */
  readonly known: KnownToolcalls;
}

/**
 * Skips the handles that this history contains, so that no object gets a handle under which the model knows another
 * object. Tool calls are no exception: the history lacks the calls of abandoned branches and those before a summary, so
 * their numbers can differ. Returns whether the history is certainly from another store.
 *
 * A fork keeps its handles: its store knows the calls, and they get the same handles again. With a summary before them
 * they get others.
 */
export async function skipForeignHandles(
  scope: SessionScope,
  { messages, summaries, known }: NewHistory,
): Promise<boolean> {
  const { toolFacts = usualToolFacts } = scope.dependencies;
  const answers = messages.flatMap((message) => {
    const execution = message.role === "toolResult" ? executionIn(message, toolFacts) : undefined;
    return message.role !== "toolResult" || execution === undefined
      ? []
      : [{ callId: message.toolCallId, execution }];
  });
  const targets = answers.flatMap(({ execution }) => idsOf(execution));
  const chats = summaries.flatMap(({ chatId }) =>
    chatId !== undefined && isObjectId(chatId) && chatId !== scope.state.chat.id ? [chatId] : [],
  );
  const stored = await scope.dependencies.store.describe([...new Set([...targets, ...chats])]);
  const ids = new Set(stored.map((one) => one?.body.id));
  const foreign = answers.filter(({ callId, execution }) => {
    const touched = idsOf(execution);
    // Ids of another form than an object's are never kept, so only the objects of the call can show where it ran.
    if (touched.length > 0) return !touched.some((id) => ids.has(id));
    return isObjectId(callId) && !known.has(callId);
  });
  const isForeign = foreign.length > 0 || chats.some((id) => !ids.has(id));
  const isFork = known.size > 0 && !isForeign && !messages.some(isHostSummary);
  if (isFork || !messages.some(isLater)) return isForeign;
  for (const { execution } of answers) skipAll(scope.state, execution.report ?? "", named);
  for (const { text } of summaries) skipAll(scope.state, text, mentioned);
  for (const message of messages)
    for (const text of textsOf(message, toolFacts)) skipAll(scope.state, text, mentioned);
  return isForeign;
}

function idsOf({ effects = [] }: Execution): readonly ObjectId[] {
  return effects.map(({ id }) => id);
}

/** Whether a message is from a session that had begun before. At the beginning of a session nothing has a handle. */
function isLater({ role }: Message): boolean {
  return role === "assistant" || role === "summary";
}

function isHostSummary(message: Message): boolean {
  return message.role === "summary" && !message.isFromManager;
}

/**
 * The texts of a message in which the model can have read or written a handle. The output of a tool has none that the
 * model did not write before, except the reports of context tools and the reasons why a call did not run.
 */
function textsOf(message: Message, toolFacts: ToolFacts): readonly string[] {
  switch (message.role) {
    case "user":
      return [textOf(message.content)];
    case "assistant":
      return message.content.flatMap((block) =>
        isToolCall(block)
          ? stringsIn(block.arguments)
          : [block["text"], block["thinking"]].flatMap(stringsIn),
      );
    case "toolResult": {
      const { contextTool = "read" } = toolFacts(message.toolName, {});
      return message.isError || contextTool !== "read" ? [textOf(message.content)] : [];
    }
    case "opaque":
    case "summary":
      return stringsIn(message.raw);
    default:
      return message satisfies never;
  }
}

function stringsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return isData.test(value) ? [] : [value];
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(stringsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}

function skipAll({ pool }: SessionState, text: string, pattern: RegExp): void {
  for (const [name] of text.matchAll(pattern)) pool.skipHandle(name);
}
