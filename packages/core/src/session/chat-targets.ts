import {
  lineCount,
  metadataVersion,
  type ObjectId,
  type ObjectMetadata,
  usualOperation,
} from "@self-context-manager/objects";
import { chatHandle } from "../lines/handles.ts";
import { joinPool, type SessionScope } from "../state/session-scope.ts";
import { setActive } from "../state/set-active.ts";
import { refusal, type ToolAnswer } from "./answers.ts";
import { type ActivateRange, chosenRange } from "./chosen-range.ts";
import { openAround, openOwnChat } from "./open-chat.ts";
import { resolveTarget, withoutBrackets } from "./resolve-target.ts";

/** Returns the chat and the call of `chat#HANDLE`, if the chat is the own one or was archived from it. */
export async function chatPart(
  scope: SessionScope,
  given: string,
): Promise<{ readonly chat: string; readonly call: string } | undefined> {
  const plain = withoutBrackets(given.trim());
  const [, chat = "", call = ""] = /^(.+?)#\s*@?([a-z]\d+)$/iu.exec(plain) ?? [];
  if (chat === "") return undefined;
  const named = await resolveTarget(scope, chat.trim());
  const isOwn =
    named.type === "locked"
      ? named.id === scope.state.chat.id
      : named.type === "known" && named.entry.stored.body["archived"] === true;
  return isOwn ? { chat: chat.trim(), call } : undefined;
}

/** Opens the part of the own chat around a call; undefined if the name is another one. */
export async function aroundCall(
  scope: SessionScope,
  given: string,
  lines: ActivateRange,
): Promise<ToolAnswer | undefined> {
  const part = await chatPart(scope, given);
  if (part === undefined) return undefined;
  if (lines.turn !== undefined)
    return refusal(
      `${given} is a part of the chat; give it without turn, or ${part.chat} with it.`,
    );
  const target = await resolveTarget(scope, part.call);
  const opened = target.type === "known" ? openAround(scope, target.entry.id, lines) : undefined;
  return (
    opened ??
    refusal(`${part.chat} has no call ${JSON.stringify(part.call)}; give the handle of one.`)
  );
}

/**
 * Activates lines of the chat, although the chat is locked: turns that left the view are read in this way (decision
 * D54).
 */
export async function activateLocked(
  scope: SessionScope,
  target: { readonly id: string; readonly name: string },
  lines: ActivateRange,
): Promise<ToolAnswer> {
  const { state, dependencies } = scope;
  if (target.id !== state.chat.id)
    return refusal(`${target.name} is locked; it is always in the context.`);
  const isOfLines = lines.from !== undefined || lines.to !== undefined;
  if (lines.turn !== undefined || !isOfLines) return openOwnChat(scope, lines);
  const stored = await dependencies.store.get(state.chat.id);
  if (stored === undefined) return refusal("the chat is not stored yet.");
  const range = chosenRange(stored.body.content ?? "", lines);
  if (typeof range === "string") return refusal(`${target.name}: ${range}`);
  const { handle, id } = joinPool(state, metadataVersion(stored));
  const shown = range ?? { from: 1, to: lineCount(stored.body.content ?? "") };
  setActive(state, id, shown);
  scope.contents.set(id, stored);
  return {
    ok: true,
    text: `${handle} (${target.name}) is now active, lines ${shown.from}-${shown.to}.`,
    effects: [{ op: "activate", id, range: shown }],
  };
}

/** Returns the calls whose outputs are turns of the session's own chat. */
export function openedTurns({ state: { chat, pool } }: SessionScope): readonly ObjectId[] {
  return [...pool.entries.values()].flatMap(({ id, stored: { body } }) => {
    const { tool, args_display: shown, context_tool: isReport } = body;
    const isActivate = typeof tool === "string" && usualOperation(tool) === "activate";
    if (!isActivate || typeof shown !== "string" || isReport === true) return [];
    const given = shown.replace(/^\w+: "(.*)"$/u, "$1");
    const name = withoutBrackets(given.trim()).replace(/^@|#\s*\S+$/gu, "");
    const isOfChat = name === chatHandle || name === chat.id || pool.handles.get(name) === chat.id;
    return isOfChat ? [id] : [];
  });
}

/** Whether an object is a chat, or the session of one. */
export function isChat({ body }: { readonly body: Pick<ObjectMetadata, "type"> }): boolean {
  return body.type === "chat" || body.type === "session";
}
