import {
  continued,
  defined,
  groupsOf,
  type LimitedJson,
  madeOnce,
  toLimitedJson,
} from "@self-context-manager/objects";
import { contentKey, fingerprintKey } from "../chat/content-key.ts";
import type { Message } from "../chat/message.ts";
import type { FileRendering } from "./file-rendering.ts";
import type { MessageCodec, MessageIdentity } from "./message-codec.ts";
import { keyName, namesOneMessage } from "./message-identity.ts";

/** A message of a host's list. It is identified once, however many functions look at it. */
export interface ReadMessage<Raw = unknown> {
  /** The message in the host's form. A text that another extension has put around a message has none. */
  readonly raw: Raw;
  /**
   * Its identity. If the host gives it no key, time or tool call id, it has a key made from its fingerprint, or else from its
   * content.
   */
  readonly identity: MessageIdentity;
  /** The key by which core recognises it. Messages with the same key are distinguished by their places. */
  readonly key: string;
  /** Whether an id or a time of its host names it. If not, it is recognised by its place among the known messages. */
  readonly isNamed: boolean;
  /**
   * How it belongs to the host's history:
   *
   * - `own`: it is a part of it, and this request has it.
   * - `left-out`: it is a part of it, and another extension of the host has left it out of this request. The view does not show
   *   it. The result of a call whose answer is shown says that there is none.
   * - `added`: another extension has added it to this request only. It is shown at its place.
   */
  readonly mark: "own" | "left-out" | "added";
  /** Returns the message in core's form. It is decoded at the first call. */
  decode(): Message;
  /** Whether it was decoded and a part of it became a text, because it is nested deeper than 500 levels. */
  isCut(): boolean;
}

/** The list of a request, as a codec has read it. A list is read once, where it enters the context manager. */
export interface ReadList<Raw = unknown> {
  readonly messages: readonly ReadMessage<Raw>[];
  /** How the host writes the text of a file into a result (see `MessageCodec`). */
  readonly fileRendering?: FileRendering;
  /** Whether the host marks each message that replaces earlier ones (see `MessageCodec`). */
  readonly marksSummaries?: boolean;
}

const ownGroups = new WeakMap<readonly ReadMessage[], boolean>();

/** Whether each message of a list is a part of the host's history, and this request has it. */
export function areOwn(messages: readonly ReadMessage[]): boolean {
  const isOwn = (group: readonly ReadMessage[]): boolean =>
    group.every(({ mark }) => mark === "own");
  return groupsOf(messages).every((group) => madeOnce(ownGroups, group, isOwn));
}

/**
 * Reads a host's list. Each of its messages belongs to the host's history; for others see `markedList`. `known`: a list that
 * was read for the same request; a message that is in both is not read again.
 */
export function readList<Raw>(
  messages: readonly NoInfer<Raw>[],
  codec: MessageCodec<Raw>,
  known?: ReadList<NoInfer<Raw>>,
): ReadList<Raw> {
  const { fileRendering, marksSummaries } = codec;
  return {
    messages: readMessages(messages, codec, known),
    ...defined({ fileRendering, marksSummaries }),
  };
}

/** The last list that each codec read of those that begin with a message. */
const lastLists = new WeakMap<MessageCodec<never>, WeakMap<object, readonly ReadMessage[]>>();

/**
 * A message at the same place as in the last list that began with the same one is not read again if its identity is the
 * same: then its content is the same by the laws of codecs.
 */
function readMessages<Raw>(
  messages: readonly Raw[],
  codec: MessageCodec<Raw>,
  known: ReadList<Raw> | undefined,
): readonly ReadMessage<Raw>[] {
  let byRaw: ReadonlyMap<Raw, ReadMessage<Raw>> | undefined;
  const there = (raw: Raw, index: number): ReadMessage<Raw> | undefined => {
    if (known === undefined) return undefined;
    const beside = known.messages[index];
    if (beside?.raw === raw) return beside;
    byRaw ??= new Map(known.messages.map((one) => [one.raw, one]));
    return byRaw.get(raw);
  };
  const [first] = messages;
  const isKept = typeof first === "object" && first !== null;
  const lists = madeOnce(lastLists, codec, () => new WeakMap());
  const last = (isKept ? lists.get(first) : undefined) as readonly ReadMessage<Raw>[] | undefined;
  const same = known === undefined && last !== undefined ? unchanged(messages, last, codec) : 0;
  const more: ReadMessage<Raw>[] = [];
  for (let index = same; index < messages.length; index += 1) {
    const raw = messages[index] as Raw;
    const before = last?.[index];
    const isSame = (): boolean =>
      before !== undefined && before.raw === raw && isStill(before, codec);
    more.push(there(raw, index) ?? (isSame() ? before : undefined) ?? readMessage(raw, codec));
  }
  const read = continued<ReadMessage<Raw>>(last ?? [], more, same);
  if (isKept) lists.set(first, read);
  return read;
}

/** Returns the number of messages with which a list begins as it was read before. */
function unchanged<Raw>(
  messages: readonly Raw[],
  last: readonly ReadMessage<Raw>[],
  codec: MessageCodec<Raw>,
): number {
  let same = 0;
  for (const before of last) {
    if (messages[same] !== before.raw || !isStill(before, codec)) break;
    same += 1;
  }
  return same;
}

/** Whether a message has the identity with which it was read. */
function isStill<Raw>({ raw, identity: was }: ReadMessage<Raw>, codec: MessageCodec<Raw>): boolean {
  const now = codec.identify(raw);
  if (now.key === undefined && now.timestamp === undefined && now.callId === undefined)
    return (
      now.fingerprint !== undefined && now.fingerprint === was.fingerprint && now.role === was.role
    );
  return (
    now.key === was.key &&
    now.timestamp === was.timestamp &&
    now.callId === was.callId &&
    now.role === was.role &&
    now.fingerprint === was.fingerprint
  );
}

/** Returns the key by which core recognises a message. Messages with the same key are distinguished by their places. */
export function messageKey<Raw>(raw: Raw, codec: MessageCodec<Raw>): string {
  return readMessage(raw, codec).key;
}

function readMessage<Raw>(raw: Raw, codec: MessageCodec<Raw>): ReadMessage<Raw> {
  // The message is read for many requests, and its decoded form is needed for one.
  let decoded: WeakRef<LimitedJson & object> | undefined;
  let wasCut = false;
  const decode = (): Message => {
    const before = decoded?.deref();
    if (before !== undefined) return before.json as Message;
    const made = toLimitedJson(codec.decode(raw));
    decoded = new WeakRef(made);
    wasCut = made.isCut;
    return made.json as Message;
  };
  const isCut = (): boolean => wasCut;
  const identity = withKey(codec.identify(raw), decode);
  const key = keyName(identity);
  return { raw, identity, key, isNamed: isNamed(identity), mark: "own", decode, isCut };
}

/** Whether an id or a time of the host names a message with this identity. */
function isNamed({ key, timestamp, callId }: MessageIdentity): boolean {
  if (key !== undefined) return namesOneMessage(key);
  return timestamp !== undefined || callId === undefined;
}

function withKey(identity: MessageIdentity, decode: () => Message): MessageIdentity {
  const { key, timestamp, callId, role, fingerprint } = identity;
  if (key !== undefined || timestamp !== undefined || callId !== undefined) return identity;
  const made = fingerprint === undefined ? contentKey(decode()) : fingerprintKey(role, fingerprint);
  return { ...identity, key: made };
}
