import {
  type ContextSession,
  type ReadList,
  readList,
  type View,
} from "@self-context-manager/core";
import type { Connection, ModelCall } from "@self-context-manager/core/host";

import { isFields, type PiApi } from "./pi-api.ts";
import { piCodec } from "./pi-codec.ts";
import { statusKey } from "./pi-notices.ts";
import { optionsNow, type PiSession, type PiSessions, showStatus } from "./pi-sessions.ts";
import type { RegisteredTools } from "./pi-tools.ts";
import { piUsage } from "./pi-usage.ts";
import { errorOf } from "./provider-error.ts";
import { ownSummaries, withReplaced } from "./replaced-messages.ts";
import { branchOf } from "./session-messages.ts";

const noFiguresStatus = "ctx on: the figures could not be read";
const recordingStatus = "ctx only recording: the tool activate is off";

/** The hooks of a request: the system prompt, the messages, the request to the provider, and its answer. */
export function requestHooks(pi: PiApi, sessions: PiSessions): void {
  pi.on("before_agent_start", async ({ systemPrompt }, context) => {
    const session = sessions.at(context);
    session.prompt = await session.connection.systemPrompt(systemPrompt);
    return session.prompt === systemPrompt ? undefined : { systemPrompt: session.prompt };
  });

  pi.on("context", async ({ messages }, context) => {
    const session = sessions.at(context);
    const call = await modelCall(session, sessions.tools, messages);
    if (call?.view !== undefined) return { messages: call.messages };
    if (call !== undefined) leaveOutThinking(messages, call);
    return undefined;
  });

  // The hooks below can come when Pi has released the context.
  pi.on("before_provider_request", ({ payload }) =>
    sessions.present()?.connection.payload(payload),
  );

  pi.on("message_start", ({ message }) => sessions.present()?.own.saw(message));

  pi.on("message_end", async ({ message }) => {
    const session = sessions.present();
    session?.own.saw(message);
    const isAnswer = isFields(message) && message["role"] === "assistant";
    const usage = isAnswer ? piUsage(message["usage"]) : undefined;
    if (usage !== undefined) session?.connection.answered(usage);
    // Before Pi compacts and sends the next request.
    const error = errorOf(message);
    if (error !== undefined) await session?.connection.refused(error);
  });
}

async function modelCall(
  session: PiSession,
  tools: RegisteredTools,
  messages: readonly unknown[],
): Promise<ModelCall<unknown> | undefined> {
  const { connection, context } = session;
  session.isCompacted = false;
  const call = await connection.modelCall({
    ...optionsNow(session),
    summaries: () => ownSummaries(branchOf(context)),
    messages,
    complete: async (opened, sent) => {
      return await listOf(session, opened, sent);
    },
  });
  if (!connection.isOn || connection.isFailing) return call;
  const view = call?.view;
  if (view !== undefined) await showFigures(session, view);
  else if (!tools.canActivate()) context.ui.setStatus(statusKey, recordingStatus);
  return call;
}

/** Shows the figures of a view that is sent. */
async function showFigures(session: PiSession, view: View): Promise<void> {
  try {
    await showStatus(session, await session.connection.session(), view);
  } catch {
    // Not rethrown: the view is stored as sent, so it must be sent.
    session.context.ui.setStatus(statusKey, noFiguresStatus);
  }
}

/**
 * Returns the list of a request for the session. The adapter's own summary replaces messages only in Pi's list. If the
 * session does not have them, because the store is another one or the session is a fork, they are taken from Pi's
 * record.
 */
async function listOf(
  { own, connection, context }: PiSession,
  opened: ContextSession,
  sent: ReadList,
): Promise<ReadList> {
  const messages = sent.messages.map(({ raw }) => raw);
  const { replaced, ...whole } = withReplaced(messages, branchOf(context));
  const list = readList(whole.messages, piCodec, sent);
  return (await hasReplaced(connection, opened, list, replaced))
    ? await own.listFor(sent, context)
    : await own.listFor(list, context, replaced);
}

/** Whether the session has the replaced messages of a list, up to the last one. */
export async function hasReplaced(
  { isRewound }: Pick<Connection<unknown>, "isRewound">,
  opened: ContextSession,
  list: ReadList,
  replaced: readonly unknown[],
): Promise<boolean> {
  const last = replaced.at(-1);
  if (last === undefined) return true;
  const known = await opened.knownUntil(list);
  const at = list.messages.findIndex(({ raw }) => raw === last);
  // After the user went back, the session first looks for the point in its own versions.
  return known > at || (isRewound && known > 0);
}

/**
 * Prepares the host's own messages. Pi passes a copy of them, and only if the list and its messages stay the same
 * objects do its later system messages stay at their places.
 */
function leaveOutThinking(
  messages: readonly unknown[],
  { messages: kept }: ModelCall<unknown>,
): void {
  for (const [index, message] of messages.entries()) {
    const now = kept[index];
    if (now !== message && isFields(now)) Object.assign(message as object, now);
  }
}
