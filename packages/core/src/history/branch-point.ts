import type { ObjectId, StoredMetadata, StoredVersion } from "@self-context-manager/objects";
import { type ChatState, chatState } from "../chat/chat-body.ts";
import { isAssistantStep, isDiscarded, toolcallsOf, type Turn } from "../chat/turn.ts";
import { chatRoles, keyName, messageIdentity } from "../host/message-identity.ts";
import type { ReadMessage } from "../host/read-list.ts";
import type { SessionScope } from "../state/session-scope.ts";

/** A stored chat version that a host's list continues, with the session's state at that version. */
export interface BranchPoint {
  readonly chat: ChatState;
  readonly session: StoredVersion;
  /**
   * Selects the versions of other objects at that point, right before the next version of the chat; undefined if it is
   * the latest version of the chat.
   */
  readonly asOf: { readonly txId: number } | undefined;
}

/**
 * Finds the latest version of a session's chat that contains only messages with which a host's list begins. The version
 * can be on the current branch or on an abandoned one. `shared` are the turns of the present chat that the list
 * continues. Undefined if no version of the chat fits.
 *
 * Hosts can send an answer together with the next prompt, so the found version can end before the last shared answer.
 */
export async function findBranchPoint(
  scope: SessionScope,
  messages: readonly ReadMessage[],
  shared: readonly Turn[],
): Promise<BranchPoint | undefined> {
  const lists = heardAfter(shared, messages);
  const most = Math.max(...lists.map(({ length }) => length));
  const calls = shared.flatMap(toolcallsOf);
  return await longestVersion(
    scope,
    most,
    (spoken, turns) =>
      lists.some((list) => isBegun(spoken, list)) &&
      hasSameCalls(turns.flatMap(toolcallsOf), calls),
  );
}

/**
 * Whether the tool calls of two lists of turns are the same, as far as both go. On an abandoned branch the same words and
 * provider ids can belong to other calls.
 */
function hasSameCalls(some: readonly ObjectId[], others: readonly ObjectId[]): boolean {
  const length = Math.min(some.length, others.length);
  return some.slice(0, length).every((id, index) => id === others[index]);
}

/**
 * Finds the longest version of a session's chat with which a host's list begins, or else, if a summary is in front of the
 * list, whose end is the beginning of the messages after the summary. The summary then replaces the messages before that
 * end. Undefined if there is none, or if the host's messages have neither keys nor times: an equal content can occur more
 * than once.
 */
export async function findOtherBranch(
  scope: SessionScope,
  messages: readonly ReadMessage[],
): Promise<BranchPoint | undefined> {
  const said = messages.filter(isHeard);
  const [first] = said;
  const names = said.map(({ key }) => key);
  const whole =
    first?.isNamed === true
      ? await longestVersion(
          scope,
          names.length,
          (spoken) => spoken[0]?.name === first.key && isBegun(spoken, names),
        )
      : undefined;
  const summary = messages[0];
  if (whole !== undefined || summary === undefined || chatRoles.has(summary.identity.role))
    return whole;
  // The newest prompt is new, so it gives no information about earlier branches.
  const prompt = messages.findLastIndex(({ identity }) => identity.role === "user");
  const behind = messages.slice(1, Math.max(1, prompt)).filter(isHeard);
  const [next] = behind;
  if (next?.isNamed !== true) return undefined;
  const rest = behind.map(({ key }) => key);
  return await longestVersion(scope, Number.POSITIVE_INFINITY, (spoken) => {
    const from = spoken.findIndex(({ name }) => name === next.key);
    return from !== -1 && isBegun(spoken.slice(from), rest);
  });
}

/** Returns the longest version that fits and has at most `most` messages; of several with this length, the latest. */
async function longestVersion(
  { state, dependencies: { store } }: SessionScope,
  most: number,
  fits: (spoken: readonly Spoken[], turns: readonly Turn[]) => boolean,
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
    if (!fits(spokenIn(chat.turns), chat.turns)) continue;
    const next = history[index + 1];
    const asOf = next === undefined ? undefined : { txId: next.at.tx_id - 1 };
    const session = await store.get(state.id, asOf);
    return session === undefined ? undefined : { chat, session, asOf };
  }
  return undefined;
}

/** Returns the number of messages in turns, without tool results. */
export function countSpoken(turns: readonly Turn[]): number {
  return spokenIn(turns).length;
}

/** Returns the message keys of turns, without tool results. */
export function namesIn(turns: readonly Turn[]): readonly string[] {
  return spokenIn(turns).map(({ name }) => name);
}

function countOf(version: StoredMetadata | undefined): number {
  return Number(version?.body["turn_count"] ?? 0) + Number(version?.body["step_count"] ?? 0);
}

interface Spoken {
  readonly name: string;
  /** Whether the answer failed or was aborted. The host can have removed such an answer from its list. */
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

/**
 * Returns the lists of message keys to which a chat version is compared: the keys of the shared turns, then those that
 * follow in the host's list. If the host's list does not contain the last shared message, its first message may be a
 * summary of the shared turns. Then a second list without that message is returned too.
 */
function heardAfter(
  shared: readonly Turn[],
  messages: readonly ReadMessage[],
): readonly (readonly string[])[] {
  const names = namesIn(shared);
  const said = messages.filter(isHeard).map(({ key }) => key);
  const last = names.at(-1);
  const end = last === undefined ? -1 : said.lastIndexOf(last);
  const isHidden = end === -1 && said.length > 0;
  const rest = said.slice(end + 1);
  return [[...names, ...rest], ...(isHidden ? [[...names, ...rest.slice(1)]] : [])];
}

function isHeard({ identity }: ReadMessage): boolean {
  return identity.callId === undefined;
}

/** Whether a list begins with the messages of a chat. Failed or aborted answers can be absent from the list. */
function isBegun(chat: readonly Spoken[], list: readonly string[]): boolean {
  let at = 0;
  return chat.every(({ name, isDiscarded: canMiss }) => {
    if (list[at] !== name) return canMiss;
    at += 1;
    return true;
  });
}
