import type { Message } from "../chat/message.ts";

/** What tells a host's message from others, cheap to read (design §6.1). */
export interface MessageIdentity {
  /**
   * `user`, `assistant` or `toolResult` for what decodes to these, whatever the host calls them; for any other message
   * the `kind` that it decodes to. A resumed session knows its messages by it.
   */
  readonly role: string;
  /** The host's stable id for it, where the hook shows one. */
  readonly key?: string;
  /** Milliseconds since 1970, as the host recorded it. */
  readonly timestamp?: number;
  /** The provider's tool call id, of a tool's result. */
  readonly callId?: string;
}

/** Translates a host's messages; the one place in an adapter that knows their shape. */
export interface MessageCodec<Raw> {
  /** Called for every message of every call: reads three fields and computes nothing. */
  identify(raw: Raw): MessageIdentity;
  /** Called once for each new message. Never throws: what it cannot read becomes an opaque message. */
  decode(raw: Raw): Message;
}
