import { type ReadList, readList, type ReadMessage } from "@self-context-manager/core";
import {
  identityName,
  markedList,
  type MessageCodec,
  type MessageIdentity,
} from "@self-context-manager/core/host";

import { setImmediate as nextTick, setTimeout as delay } from "node:timers/promises";

import { type Fields, isFields, type PiContext } from "./pi-api.ts";
import { piCodec } from "./pi-codec.ts";
import { listedMessages, messageIn } from "./session-messages.ts";

/** Knows the messages of Pi's own history, and so what other extensions add to a request and leave out of it. */
export interface OwnMessages {
  /** Pi has reported a message in an event of its own. */
  saw(message: unknown): void;
  /**
   * Returns the list of a request with the messages that others have left out of it. These and the messages that others have
   * added are marked. `replaced`: messages of the list that Pi itself no longer sends. Default: none.
   */
  listFor(list: ReadList, context: PiContext, replaced?: readonly Fields[]): Promise<ReadList>;
}

/**
 * Roles that an extension can add to a request. A result belongs to its answer. Pi makes the messages of other roles from
 * entries of its session.
 */
export const addableRoles: ReadonlySet<unknown> = new Set([
  "user",
  "custom",
  "assistant",
  "compactionSummary",
]);

/** Milliseconds between two looks for events that are still under way, and how often to look. */
const pause = 5;
const looks = 5;

/**
 * A message belongs to Pi's history if it is in an entry of the session or was in a message event of this process.
 */
export function ownMessages(): OwnMessages {
  /** The beginnings of the known messages, by their identity. Several messages can have the same time. */
  const known = new Map<string, Set<string>>();
  /** The user's newest message, which Pi 0.73.1 stores only after the request. */
  let newest: Fields | undefined;
  let read = 0;
  /** The identities of Pi's own messages. They stay as long as the message is the same object. */
  const identities = new WeakMap<object, MessageIdentity>();
  const ownCodec: MessageCodec<unknown> = {
    ...piCodec,
    identify(raw) {
      const there = isFields(raw) ? identities.get(raw) : undefined;
      const identity = there ?? piCodec.identify(raw);
      if (isFields(raw)) identities.set(raw, identity);
      return identity;
    },
  };

  function note(messages: readonly unknown[]): void {
    for (const one of readList(messages, ownCodec).messages.filter(isAddable)) {
      const name = identityName(one);
      const begins = known.get(name) ?? new Set();
      known.set(name, begins.add(beginOf(one)));
    }
  }

  /** Returns the messages that are not known. Of those with one identity, the known one can have been changed. */
  function unknownIn(byName: ReadonlyMap<string, readonly ReadMessage[]>): readonly ReadMessage[] {
    return [...byName].flatMap(([name, messages]) => {
      const begins = known.get(name);
      if (begins === undefined) return messages;
      const others = messages.filter((message) => !begins.has(beginOf(message)));
      return others.length === messages.length ? others.slice(begins.size) : others;
    });
  }

  /** Notes the messages of the session's entries. Pi only appends entries. */
  function readEntries({ sessionManager }: PiContext): void {
    const entries = sessionManager.getEntries?.() ?? [];
    if (entries.length < read) read = 0;
    note(entries.slice(read).map(messageIn));
    read = entries.length;
  }

  /** Returns the host's messages with the newest prompt, if the request has it and Pi has not stored it yet. */
  function withNewest(host: readonly Fields[], { messages }: ReadList): readonly Fields[] {
    if (newest === undefined) return host;
    const { timestamp } = newest;
    const isNewest = ({ raw }: ReadMessage): boolean =>
      isFields(raw) && raw["role"] === "user" && raw["timestamp"] === timestamp;
    const isListed = host.findLast(({ role }) => role === "user")?.["timestamp"] === timestamp;
    return isListed || !messages.some(isNewest) ? host : [...host, newest];
  }

  return {
    saw(message) {
      note([message]);
      if (isFields(message) && message["role"] === "user") newest = message;
    },
    async listFor(list, context, replaced = []) {
      if (context.sessionManager.getEntries === undefined) return list;
      const candidates = list.messages.filter(isAddable);
      const byName = Map.groupBy(candidates, identityName);
      let unknown = unknownIn(byName);
      const areAllKnown = (): boolean => {
        if (unknown.length > 0) {
          readEntries(context);
          unknown = unknownIn(byName);
        }
        return unknown.length === 0;
      };
      // Pi 0.73.1 asks for the messages before it has reported and stored the newest of them.
      const isQueued = context.sessionManager.buildSessionProjection === undefined;
      const most = isQueued ? looks : 0;
      for (let look = 0; !areAllKnown() && look < most; look += 1)
        await (look < 2 ? nextTick() : delay(pause));
      const added = isQueued ? withoutQueued(candidates, unknown) : unknown;
      const host = withNewest([...replaced, ...listedMessages(context)], list);
      return markedList({
        host: readList(host, ownCodec, list),
        sent: list,
        added: new Set(added.map(({ raw }) => raw)),
      });
    },
  };
}

/**
 * Returns the unknown messages of a host that reports and stores its newest messages late, without the answers behind the
 * last known message: they can be the host's own.
 */
function withoutQueued(
  candidates: readonly ReadMessage[],
  unknown: readonly ReadMessage[],
): readonly ReadMessage[] {
  const names = new Set(unknown);
  const last = candidates.findLastIndex((message) => !names.has(message));
  return unknown.filter(
    (one) => one.identity.role !== "assistant" || candidates.indexOf(one) < last,
  );
}

function isAddable({ raw }: ReadMessage): boolean {
  return isFields(raw) && addableRoles.has(raw["role"]);
}

/** Characters of a message that distinguish it from another of the same identity. */
const beginLength = 200;

function beginOf({ raw }: ReadMessage): string {
  const content = isFields(raw) ? raw["content"] : undefined;
  const text = typeof content === "string" ? content : firstText(content);
  return typeof text === "string" ? text.slice(0, beginLength) : "";
}

function firstText(content: unknown): unknown {
  return Array.isArray(content)
    ? content.filter(isFields).find(({ type }) => type === "text")?.["text"]
    : undefined;
}
