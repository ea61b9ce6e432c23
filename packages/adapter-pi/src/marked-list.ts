import type { MessageCodec } from "@self-context-manager/core";

import { isFields } from "./pi-api.ts";

/** A list with the codec that reads it. The codec marks what other extensions added to a request and left out of it. */
export interface MarkedList {
  readonly messages: readonly unknown[];
  readonly codec: MessageCodec<unknown>;
}

/** The host's own messages, the list of a request, and the messages in it that others have added. */
export interface ComparedLists {
  readonly host: readonly unknown[];
  readonly sent: readonly unknown[];
  readonly added: ReadonlySet<unknown>;
}

/** Returns a request's list in which the messages that others left out are back, with a codec that marks them. */
export function markedList(
  codec: MessageCodec<unknown>,
  { host, sent, added }: ComparedLists,
): MarkedList {
  const { messages, leftOut } = wholeList(host, sent, (message) =>
    added.has(message) ? undefined : identityName(codec, message),
  );
  if (added.size === 0 && leftOut.size === 0) return { messages, codec };
  const marking: MessageCodec<unknown> = {
    ...codec,
    identify(raw) {
      const identity = codec.identify(raw);
      if (added.has(raw)) return { ...identity, isForOneRequest: true };
      return leftOut.has(raw) ? { ...identity, isLeftOut: true } : identity;
    },
  };
  return { messages, codec: marking };
}

/** Returns the name by which a message is recognised. Several messages can have the same one. */
export function identityName(codec: MessageCodec<unknown>, message: unknown): string {
  return JSON.stringify(codec.identify(message));
}

/** A request's list in which the messages that extensions left out are back at their places. */
interface WholeList {
  readonly messages: readonly unknown[];
  readonly leftOut: ReadonlySet<unknown>;
}

/**
 * Puts the messages of the host that a request's list lacks back into it. If the list has messages of the host in another
 * order, or none of them, it says nothing about single messages, and it is returned as it is. `nameOf`: returns the name
 * by which the same message is recognised; undefined for a message that is not the host's.
 */
function wholeList(
  host: readonly unknown[],
  sent: readonly unknown[],
  nameOf: (message: unknown) => string | undefined,
): WholeList {
  const same: WholeList = { messages: sent, leftOut: new Set() };
  const names = host.map(nameOf);
  const known = new Set(names);
  /** For each message of the list, its index among the host's. The same message can be there more than once. */
  const places = new Map<unknown, number>();
  let end = host.length;
  for (const message of sent.toReversed()) {
    const name = isFields(message) ? nameOf(message) : undefined;
    if (name === undefined || !known.has(name)) continue;
    const index = end === 0 ? -1 : names.lastIndexOf(name, end - 1);
    if (index === -1) return same;
    places.set(message, index);
    end = index;
  }
  if (places.size === 0 || places.size === host.length) return same;
  const leftOut = new Set<unknown>();
  const messages: unknown[] = [];
  const putBack = (from: number, to: number): void => {
    for (const message of host.slice(from, to)) {
      leftOut.add(message);
      messages.push(message);
    }
  };
  let next = 0;
  for (const message of sent) {
    const index = places.get(message);
    if (index !== undefined) {
      putBack(next, index);
      next = index + 1;
    }
    messages.push(message);
  }
  putBack(next, host.length);
  return { messages, leftOut };
}
