import { metadataVersion, sealObject, staticReference } from "@self-context-manager/objects";
import { archivedChatBody, turnsFrom } from "../chat/chat-body.ts";
import { afterEnd, callsOf, isAssistantStep, isDiscarded, type Turn } from "../chat/turn.ts";
import { archivedChat } from "../lines/notices.ts";
import { freeSummarised } from "../state/free-replaced.ts";
import {
  commitSession,
  joinPool,
  keepChat,
  sealableChat,
  type SessionScope,
  statusIn,
} from "../state/session-scope.ts";
import { refusal, type ToolAnswer } from "./answers.ts";

/**
 * Closes the chat (§20.1). The turns since the last archive become an object of their own, and views begin behind them with
 * a line that names it. The session's chat keeps all turns, because the host's messages are recognised by them. Objects
 * that only these turns showed become inactive, except pinned ones. All of it is stored in one commit.
 */
export async function archiveChat(scope: SessionScope): Promise<ToolAnswer> {
  const { state, dependencies } = scope;
  const { chat } = state;
  const { archive } = chat.state;
  const turns = archive === undefined ? chat.turns : turnsFrom(chat.turns, archive.from);
  const reason = whyNot(turns, archive !== undefined);
  if (reason !== undefined) return refusal(reason);
  if (chat.stored === undefined) return refusal("the chat is not stored yet.");
  const id = dependencies.ids.next();
  const part = { id, turns, parent: staticReference(chat.stored) };
  const body = archivedChatBody(chat.state, part, statusIn(state));
  const first = { ...sealObject(body), version: 1, at: unknownPoint };
  const { handle } = joinPool(state, metadataVersion(first));
  const count = turns.length;
  const content = archivedChat.write(handle, count, handle);
  const line = { message: { role: "user" as const, content }, key: id };
  const messages = [...(archive?.messages ?? []), line];
  chat.archive({ messages, from: afterEnd(chat.turns) });
  freeSummarised(scope);
  const [stored, record] = await commitSession(scope, [{ body, expect: 0 }, sealableChat(scope)]);
  if (stored === undefined || record === undefined)
    throw new TypeError("the store returned too few versions for an archived chat");
  state.pool.settle(metadataVersion(stored));
  keepChat(scope, record);
  return {
    ok: true,
    text: `The chat so far is archived as ${handle} (turns: ${count}). The next call begins with a line that names it.`,
    effects: [],
  };
}

/** The version point of a version without a transaction. */
const unknownPoint = { tx_id: 0, tx_time: "" };

/** Returns why turns cannot be archived; undefined if they can. */
function whyNot(turns: readonly Turn[], wasArchived: boolean): string | undefined {
  const isSaid = turns.some(({ user, steps }) => user !== null || steps.some(isAssistantStep));
  if (!isSaid)
    return wasArchived
      ? "nothing was said since the chat was archived."
      : "the chat has no finished turn to archive.";
  const answer = turns.at(-1)?.steps.findLast(isAssistantStep);
  if (answer !== undefined && (isDiscarded(answer) || callsOf(answer).length === 0))
    return undefined;
  return "the newest turn is not finished; archive the chat when it has its last answer.";
}
