import { isAfter, type TurnPosition } from "../chat/turn.ts";
import { keyName, type KnownMessage } from "../host/message-identity.ts";
import type { ReadMessage } from "../host/read-list.ts";
import type { KnownMessages } from "./known-messages.ts";

/**
 * Finds results by the answers before them: an id of a call can be used again in a later answer. The result of a call
 * whose answer the host has dropped is at the beginning of the list.
 */
export function withResults(
  messages: readonly ReadMessage[],
  found: readonly (KnownMessage | undefined)[],
  { known }: KnownMessages,
): readonly (KnownMessage | undefined)[] {
  const results = Map.groupBy([...known.values()].filter(isResult), knownName);
  const taken = new Set(found.flatMap((one) => one?.key ?? []));
  const nextPlace = (from: number): TurnPosition | undefined =>
    found.find((one, index) => index > from && one?.position !== undefined && !isResult(one))
      ?.position;
  const answers = new Set<string>();
  let hasAnswer = false;
  let isNew = false;
  return messages.map(({ identity, key: name }, index) => {
    const one = found[index];
    if (identity.role === "assistant") {
      hasAnswer = true;
      isNew = one === undefined;
      if (one?.position !== undefined) answers.add(placeName(one.position));
    }
    if (one !== undefined || identity.callId === undefined || isNew) return one;
    const next = hasAnswer ? undefined : nextPlace(index);
    const result = (results.get(name) ?? []).findLast((candidate) => {
      const { position, key } = candidate;
      if (taken.has(key)) return false;
      if (position === undefined) return true;
      return hasAnswer
        ? answers.has(placeName(position))
        : next === undefined || isAfter(next, position);
    });
    if (result !== undefined) taken.add(result.key);
    return result;
  });
}

function isResult({ identity }: KnownMessage): boolean {
  return identity.callId !== undefined;
}

function placeName({ turn, step }: TurnPosition): string {
  return `${turn} ${step}`;
}

function knownName({ identity }: KnownMessage): string {
  return keyName(identity);
}
