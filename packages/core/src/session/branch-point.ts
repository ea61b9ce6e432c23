import { type ChatState, chatState } from "../chat/chat-document.ts";
import { isAssistantStep, isDiscarded, type Turn } from "../chat/turn.ts";
import type { MessageIdentity } from "../ingest/message-codec.ts";
import { keyName } from "../ingest/reconcile.ts";
import type { StoredMetadata, StoredVersion } from "../objects/stored-version.ts";
import type { SessionScope } from "./session-scope.ts";
import { messageIdentity } from "./session-state.ts";

/** A stored version of a chat that a host's list goes on from, and its session as of then. */
export interface BranchPoint {
  readonly chat: ChatState;
  readonly session: StoredVersion;
}

/**
 * Finds the latest point at which a session's chat held nothing but what a host's list begins with: on the branch that
 * the session is on, or on one that was left. `shared` are the turns of the present chat that the list goes on from.
 * Undefined where the chat never stood at such a point.
 *
 * Hosts tell an answer together with the prompt that follows it, so the point can lie before the last shared answer.
 */
export async function findBranchPoint(
  { state, dependencies: { store } }: SessionScope,
  identities: readonly MessageIdentity[],
  shared: readonly Turn[],
): Promise<BranchPoint | undefined> {
  const said = identities.filter(({ callId }) => callId === undefined).map(keyName);
  const last = spokenIn(shared).at(-1)?.name;
  const firstNew = last === undefined ? 0 : said.lastIndexOf(last) + 1;
  const most = countSpoken(shared) + said.length - firstNew;
  const history = await store.history(state.chat.id);
  const candidates = [...history.keys()]
    .filter((index) => countOf(history[index]) <= most)
    .toSorted((left, right) => countOf(history[right]) - countOf(history[left]) || right - left);
  for (const index of candidates) {
    const version = history[index]?.version;
    if (version === undefined) continue;
    const stored = await store.get(state.chat.id, { version });
    if (stored === undefined) continue;
    const chat = chatState(stored.body, state.hostSessionId);
    if (!isBegun(spokenIn(chat.turns), said)) continue;
    const next = history[index + 1];
    const asOf = next === undefined ? undefined : { txId: next.at.tx_id - 1 };
    const session = await store.get(state.id, asOf);
    return session === undefined ? undefined : { chat, session };
  }
  return undefined;
}

/** How many messages turns hold, results aside. */
export function countSpoken(turns: readonly Turn[]): number {
  return spokenIn(turns).length;
}

function countOf(version: StoredMetadata | undefined): number {
  return Number(version?.body["turn_count"] ?? 0) + Number(version?.body["step_count"] ?? 0);
}

interface Spoken {
  readonly name: string;
  /** It failed or was aborted; a host may have taken it back. */
  readonly isDiscarded: boolean;
}

function spokenIn(turns: readonly Turn[]): readonly Spoken[] {
  return turns.flatMap((turn) => {
    const { timestamp, key } = turn;
    const user = { name: keyName(messageIdentity("user", timestamp, key)), isDiscarded: false };
    const steps = turn.steps.map((step): Spoken => {
      if (!isAssistantStep(step)) {
        const name = keyName(messageIdentity(step.kind, step.timestamp, step.key));
        return { name, isDiscarded: false };
      }
      const time = step.assistant_meta["timestamp"];
      const identity = messageIdentity(
        "assistant",
        typeof time === "number" ? time : null,
        step.key,
      );
      return { name: keyName(identity), isDiscarded: isDiscarded(step) };
    });
    return turn.user === null ? steps : [user, ...steps];
  });
}

/** Whether a list begins with a chat, of which it may leave out the beginning. */
function isBegun(chat: readonly Spoken[], list: readonly string[]): boolean {
  if (chat.length === 0) return true;
  const names = chat.map(({ name }) => name);
  let at = list.findIndex((name) => names.includes(name));
  if (at === -1) return false;
  const begin = names.indexOf(list[at] ?? "");
  return chat.slice(begin).every(({ name, isDiscarded: canMiss }) => {
    if (list[at] !== name) return canMiss;
    at += 1;
    return true;
  });
}
