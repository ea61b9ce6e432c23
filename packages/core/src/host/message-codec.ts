import type { Message } from "../chat/message.ts";
import type { FileRendering } from "./file-rendering.ts";

/** The fields by which a host's message is recognised. They are cheap to read. */
export interface MessageIdentity {
  /**
   * `user`, `assistant` or `toolResult` for a message that decodes to that role, whatever the host calls it. For any
   * other message it is the `kind` of the decoded message. A resumed session recognises its messages by it.
   */
  readonly role: string;
  /** The host's stable id of the message; undefined if the hook shows none. */
  readonly key?: string;
  /**
   * A text made from the content, for a message without `key`, `timestamp` and `callId`: the same for the same content,
   * another for any other. What the host changes when it sends a message again is not part of it, such as marks for the
   * provider's cache and the usage of an answer. With it, the message is decoded once. Default: a hash of the decoded
   * message without these, for which the message is decoded at every call.
   */
  readonly fingerprint?: string;
  /** Time in milliseconds since 1970, as the host recorded it. */
  readonly timestamp?: number;
  /** The provider's tool call id, for a tool's result. */
  readonly callId?: string;
}

/**
 * Translates a host's messages. Only this part of an adapter knows their form.
 *
 * Each law has a scenario with the same key in `@self-context-manager/testkit`.
 *
 * Laws:
 *
 * - `odd-input-is-read`: neither function throws, whatever value it gets. `decode` returns a message in core's form.
 * - `identity-agrees`: role, tool call id and time of `identify` are those of the decoded message. The identity of a
 *   result has its tool call id.
 * - `same-message-same-key`: the same message has the same identity and the same content each time, and is not changed.
 * - `other-message-other-key`: a message with another content, id or time has another identity.
 * - `sent-again-is-the-same`: the identity has nothing that the host changes when it sends a message again, such as marks
 *   for the provider's cache and the usage of an answer.
 * - `round-trip-keeps`: a message that was encoded for the host and decoded again has the same text, images, calls and
 *   results; an opaque message has the same raw content, except for what the host stamps.
 * - `reasoning-is-kept`: thinking and its signature are in the decoded message, which core recognises as signed, and in
 *   the encoded one.
 * - `details-are-kept`: the details that a context tool returned with its result are those of the decoded message.
 * - `decoded-is-json`: a decoded message has only values that JSON can represent.
 */
export interface MessageCodec<Raw> {
  /**
   * Returns the identity of a message. It is called for every message of every call, so it only reads fields and
   * computes nothing.
   */
  identify(raw: Raw): MessageIdentity;
  /**
   * Decodes a message. It never throws: a message that it cannot read becomes an opaque message. It is called once for
   * each new message. A message whose identity has no key, no fingerprint, no time and no tool call id is decoded at
   * every model call, and must give the same content each time.
   */
  decode(raw: Raw): Message;
  /**
   * How the host writes the text of a file into a result. Default: the lines from the argument `offset` on, without a
   * notice and without line numbers.
   */
  readonly fileRendering?: FileRendering;
  /**
   * Whether the host marks each message with which it replaces earlier ones, so that it decodes to a summary. New texts at the
   * beginning of a list then replace nothing. Default: false, and they replace the messages of the chat before the first
   * one that the list still has.
   */
  readonly marksSummaries?: boolean;
}
