import type { ContextSession } from "@self-context-manager/core";

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
      ...(model === undefined ? {} : { model }),
    });
  } else {
    await deactivateAll(session);
    const { tokens, epoch } = await session.peekView(sent?.options);
    // An epoch ends when the view is above its budget, and then what is inactive leaves first.
    if (epoch !== undefined && epoch.deadTokens > epoch.promptTokens * leastFreed)
      turn.budget = tokensOf({ tokens }) - 1;
  }
  const limit = turn.budget === undefined ? {} : { contextWindow: turn.budget, reserve: 0 };
  const tokensAfter = tokensOf(await session.peekView({ ...sent?.options, ...limit }));
  if (tokensAfter <= tokensBefore * (1 - leastFreed)) return { tokensBefore, tokensAfter };
  turn.budget = undefined;
  return undefined;
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
