import type { ContextSession, ViewOptions } from "@self-context-manager/core";
import { defined } from "@self-context-manager/core/host";

import type { AgentTurn } from "./agent-turn.ts";

/** Tokens of the messages of a view. */
interface FreedRoom {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** The least share of the tokens that must leave. If less would, the host's own compaction frees more. */
const leastFreed = 0.1;

/**
 * Frees room in the next view: after an overflow the model's budget is lower, and if the user asked for it, all contents leave
 * that are not pinned. Returns undefined if little would leave. Rejects if the session cannot be opened.
 */
export async function freeRoom(turn: AgentTurn, trigger: unknown): Promise<FreedRoom | undefined> {
  const session = await turn.connection.session();
  const { sent } = turn;
  const tokensBefore = tokensOf(await session.peekView(sent?.options));
  if (trigger === "overflow") {
    const { model } = sent?.options ?? {};
    await session.recordRefusal({
      error: "",
      isTooLong: true,
      ...(sent === undefined ? {} : { call: sent.view.call }),
      ...defined({ model }),
    });
  } else {
    await deactivateAll(session);
    const whole = await session.peekView(sent?.options);
    const { epoch } = whole;
    if (epoch !== undefined && epoch.deadTokens > epoch.promptTokens * leastFreed)
      turn.budget = await largestEnding(session, tokensOf(whole), sent?.options);
  }
  const limit = turn.budget === undefined ? {} : { contextWindow: turn.budget, reserve: 0 };
  const tokensAfter = tokensOf(await session.peekView({ ...sent?.options, ...limit }));
  if (tokensAfter <= tokensBefore * (1 - leastFreed)) return { tokensBefore, tokensAfter };
  turn.budget = undefined;
  return undefined;
}

/** The search begins with this window, in tokens, if the host gives no budget. No model has a larger one. */
const largestWindow = 4_000_000;

/**
 * Returns the largest window, in tokens, with which a view is smaller than `whole`. The epoch ends then, because the view is
 * above its budget, and what is inactive leaves first. With a smaller window, turns of the chat would leave too. Only the
 * session knows how much of a window the host's own prompt and tools take, so the window is searched for.
 */
async function largestEnding(
  session: ContextSession,
  whole: number,
  options: ViewOptions = {},
): Promise<number | undefined> {
  let ends = 0;
  let stays = options.contextWindow ?? largestWindow;
  while (stays - ends > 1) {
    const middle = Math.floor((ends + stays) / 2);
    const view = await session.peekView({ ...options, contextWindow: middle, reserve: 0 });
    if (tokensOf(view) < whole) ends = middle;
    else stays = middle;
  }
  return ends === 0 ? undefined : ends;
}

/** Makes all objects inactive that are not pinned. */
async function deactivateAll(session: ContextSession): Promise<void> {
  const { objects } = await session.status();
  for (const { handle, state } of objects) if (state === "active") await session.deactivate(handle);
}

interface ViewTokens {
  readonly tokens: { readonly metadata: number; readonly chat: number; readonly active: number };
}

function tokensOf({ tokens: { metadata, chat, active } }: ViewTokens): number {
  return metadata + chat + active;
}
