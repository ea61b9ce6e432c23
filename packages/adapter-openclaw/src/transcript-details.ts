import type { Connection } from "@self-context-manager/core/host";

import { withOwnCallIds } from "./call-ids.ts";
import { openClawCodec, type OpenClawMessage } from "./openclaw-messages.ts";
import { readList } from "@self-context-manager/core";

/**
 * Returns a history with the details of its results, if the session does not know all of it: of a fork, and of a session
 * that began without the plugin. OpenClaw leaves the details out of an engine's list, and they have what the context tools
 * did. Never rejects: without the details, the results are ordinary ones.
 */
export async function withTranscriptDetails(
  history: readonly OpenClawMessage[],
  connection: Connection<OpenClawMessage>,
  transcript: () => Promise<readonly OpenClawMessage[]>,
): Promise<readonly OpenClawMessage[]> {
  if (!history.some(isBareResult)) return history;
  try {
    const session = await connection.session();
    const { messages } = withOwnCallIds(history);
    if ((await session.knownUntil(readList(messages, openClawCodec))) === history.length)
      return history;
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
