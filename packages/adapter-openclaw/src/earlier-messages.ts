import { readList } from "@self-context-manager/core";
import { type Connection, fieldsOf, jsonObject } from "@self-context-manager/core/host";

import { withOwnCallIds } from "./call-ids.ts";
import { textsOf } from "./message-texts.ts";
import { openClawCodec, type OpenClawMessage } from "./openclaw-messages.ts";

/**
 * Returns a history with the details of its results, if the session does not know all of it: of a fork, and of a session
 * that began without the plugin. OpenClaw leaves the details out of an engine's list, and they have what the context tools
 * did. The calls that read a file count as calls of now: a result that shows the file as it is now is that file. Never
 * rejects: without the details, the results are ordinary ones.
 */
export async function earlierMessages(
  history: readonly OpenClawMessage[],
  connection: Connection<OpenClawMessage>,
  transcript: () => Promise<readonly OpenClawMessage[]>,
): Promise<readonly OpenClawMessage[]> {
  if (!history.some(isBareResult)) return history;
  try {
    const session = await connection.session();
    const { messages } = withOwnCallIds(history);
    const known = await session.knownUntil(readList(messages, openClawCodec));
    if (known === history.length) return history;
    await recordReads(messages.slice(known), connection);
    const results = (await transcript()).filter(({ role }) => role === "toolResult");
    const details = new Map(results.map((result) => [result["timestamp"], result["details"]]));
    return history.map((message) =>
      isBareResult(message) ? { ...message, details: details.get(message["timestamp"]) } : message,
    );
  } catch {
    // The session reports its own failure with the request. A transcript that cannot be read costs only the details.
    return history;
  }
}

function isBareResult({ role, details }: OpenClawMessage): boolean {
  return role === "toolResult" && details === undefined;
}

/** Records the calls of messages that read a file. `messages`: with the calls' own ids. */
async function recordReads(
  messages: readonly OpenClawMessage[],
  connection: Connection<OpenClawMessage>,
): Promise<void> {
  const { toolFacts } = await connection.session();
  const results = new Map(messages.map((message) => [message["toolCallId"], message]));
  const blocks = messages.flatMap(({ role, content }): readonly unknown[] =>
    role === "assistant" && Array.isArray(content) ? content : [],
  );
  for (const block of blocks) {
    const { id, name, arguments: given } = fieldsOf(block);
    const result = results.get(id);
    if (typeof id !== "string" || typeof name !== "string" || result === undefined) continue;
    const args = jsonObject(given);
    if (toolFacts(name, args).kind !== "read") continue;
    const text = textsOf(result).join("\n");
    await connection.endTool({ id, name, args }, { text, isError: result["isError"] === true });
  }
}
