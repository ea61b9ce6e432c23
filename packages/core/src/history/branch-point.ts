import type { StoredMetadata, StoredVersion } from "@self-context-manager/objects";
import { type ChatState, chatState } from "../chat/chat-document.ts";
import { isAssistantStep, isDiscarded, type Turn } from "../chat/turn.ts";
import type { MessageIdentity } from "../host/message-codec.ts";
import { keyName, messageIdentity, namesOneMessage } from "../host/message-identity.ts";
import type { SessionScope } from "../state/session-scope.ts";

/** A stored version of a chat that a host's list goes on from, and its session as of then. */
export interface BranchPoint {
  readonly chat: ChatState;
  readonly session: StoredVersion;
  /** Selects other objects' versions as of then: right before the chat went on; undefined where it never did. */
  readonly asOf: { readonly txId: number } | undefined;
}

/**
 * Finds the latest point at which a session's chat held nothing but what a host's list begins with: on the branch that
 * the session is on, or on one that was left. `shared` are the turns of the present chat that the list goes on from.
 * Undefined where the chat never stood at such a point.
 *
 * Hosts tell an answer together with the prompt that follows it, so the point can lie before the last shared answer.
 */
export async function findBranchPoint(
  scope: SessionScope,
  identities: readonly MessageIdentity[],
  shared: readonly Turn[],
): Promise<BranchPoint | undefined> {
  const lists = heardAfter(shared, identities);
  const most = Math.max(...lists.map(({ length }) => length));
  return await longestVersion(scope, most, (spoken) => lists.some((list) => isBegun(spoken, list)));
}

/**
 * Finds the longest version of a session's chat that a host's list begins with. Undefined where there is none, and where
 * the host names its messages by nothing: equal words are said more than once.
 */
export async function findBranchFrom(
  scope: SessionScope,
  identities: readonly MessageIdentity[],
): Promise<BranchPoint | undefined> {
  const said = namesHeard(identities);
  const [first] = said;
  if (first === undefined || !namesOneMessage(first)) return undefined;
  return await longestVersion(
    scope,
    said.length,
    (spoken) => spoken[0]?.name === first && isBegun(spoken, said),
  );
}

/**
 * Finds the longest version of a session's chat that ends with what a host's list begins with, `identities` being those
 * behind a summary: what stands before that is what the summary is for. Undefined as above.
 */
export async function findBranchBehind(
  scope: SessionScope,
  identities: readonly MessageIdentity[],
): Promise<BranchPoint | undefined> {
  const said = namesHeard(identities);
  const [first] = said;
  if (first === undefined || !namesOneMessage(first)) return undefined;
  return await longestVersion(scope, Number.POSITIVE_INFINITY, (spoken) => {
    const from = spoken.findIndex(({ name }) => name === first);
    return from !== -1 && isBegun(spoken.slice(from), said);
  });
}

/** The longest version with at most so many messages that fits, and of several the latest. */
async function longestVersion(
  { state, dependencies: { store } }: SessionScope,
  most: number,
  fits: (spoken: readonly Spoken[]) => boolean,
): Promise<BranchPoint | undefined> {
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
    if (!fits(spokenIn(chat.turns))) continue;
    const next = history[index + 1];
    const asOf = next === undefined ? undefined : { txId: next.at.tx_id - 1 };
    const session = await store.get(state.id, asOf);
    return session === undefined ? undefined : { chat, session, asOf };
  }
  return undefined;
}

/** How many messages turns hold, results aside. */
export function countSpoken(turns: readonly Turn[]): number {
  return spokenIn(turns).length;
}

/** What turns' messages go by, results aside. */
export function namesIn(turns: readonly Turn[]): readonly string[] {
  return spokenIn(turns).map(({ name }) => name);
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

/** What a host's list tells with the messages that it may have put a summary in the place of, by name. */
function heardAfter(
  shared: readonly Turn[],
  identities: readonly MessageIdentity[],
): readonly (readonly string[])[] {
  const names = namesIn(shared);
  const said = namesHeard(identities);
  const last = names.at(-1);
  const end = last === undefined ? -1 : said.lastIndexOf(last);
  const isHidden = end === -1 && said.length > 0;
  const rest = said.slice(end + 1);
  return [[...names, ...rest], ...(isHidden ? [[...names, ...rest.slice(1)]] : [])];
}

function namesHeard(identities: readonly MessageIdentity[]): readonly string[] {
  return identities.filter(({ callId }) => callId === undefined).map(keyName);
}

/** Whether a list begins with a chat. */
function isBegun(chat: readonly Spoken[], list: readonly string[]): boolean {
  let at = 0;
  return chat.every(({ name, isDiscarded: canMiss }) => {
    if (list[at] !== name) return canMiss;
    at += 1;
    return true;
  });
}
