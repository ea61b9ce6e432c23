import type { ViewMessage } from "@self-context-manager/core";
import type { MessageCodec } from "@self-context-manager/core/host";
import type { JsonValue } from "@self-context-manager/objects";

/** What a host gives each of its messages. A host without ids or times ignores them. */
export interface MessageStamp {
  /** An id that no other message has. */
  readonly id: string;
  /** A time that no other message has, in milliseconds since 1970. */
  readonly at: number;
}

/** Converts a message of the view to the host's form, as the adapter does, with a stamp of the host. */
export type Encode<Raw> = (message: ViewMessage, stamp: MessageStamp) => Raw;

/**
 * A codec under test, with what the laws need to know of its host. All its messages are plain data: objects, lists and
 * values of JSON. For a host whose messages are instances of classes, the codec reads their plain form.
 */
export interface CodecSubject<Raw> {
  readonly codec: MessageCodec<Raw>;
  readonly encode: Encode<Raw>;
  /**
   * Messages as the host records them, no two of the same content. They should contain the kinds that `encode` does not
   * make: the host's own kinds, summaries, failed answers.
   */
  readonly samples: readonly Raw[];
  /** Whether messages carry images. Default: true. */
  readonly images?: boolean;
  /** An answer with signed thinking, as the host records it. Default: the host has none, and the law is skipped. */
  readonly signed?: SignedSample<Raw>;
  /** A result with details, as the host records it. Default: the host keeps none, and the law is skipped. */
  readonly detailed?: DetailedSample<Raw>;
  /**
   * Returns a message as the host sends it again, with other values in all fields that the host changes between two
   * requests, such as marks for the provider's cache and the usage of an answer. Default: the host changes none, and the law
   * is skipped.
   */
  readonly sentAgain?: (message: Raw) => Raw;
}

/** An answer with signed thinking, and the two texts that it contains. */
export interface SignedSample<Raw> {
  readonly message: Raw;
  readonly thinking: string;
  readonly signature: string;
}

/** A result of a tool, and the details that the tool returned with it. */
export interface DetailedSample<Raw> {
  readonly message: Raw;
  readonly details: JsonValue;
}

/** Tests one law. Throws if the law is broken. */
export type CodecScenario = <Raw>(subject: CodecSubject<Raw>) => void;
