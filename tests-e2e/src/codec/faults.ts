import type { Message } from "@self-context-manager/core";
import type { MessageCodec } from "@self-context-manager/core/host";
import {
  type CodecLaw,
  type CodecSubject,
  scriptedCodec,
  scriptedCodecs,
  type ScriptedMessage,
} from "@self-context-manager/testkit";

import { encodeScripted, scriptedSubject } from "./subjects.ts";

type Subject = CodecSubject<ScriptedMessage>;

/** Faults by the law that each breaks: a description of the codec, and a subject with it. */
export const codecFaults: Readonly<Record<CodecLaw, Readonly<Record<string, Subject>>>> = {
  "odd-input-is-read": {
    "throws for a value that is no message": reading({
      identify: (message) => ({ ...scriptedCodec.identify(message), key: message.id }),
    }),
    "throws for a message without calls": reading({
      decode: (message) => {
        if (message?.kind === "model") message.calls.map(({ id }) => id);
        return scriptedCodec.decode(message);
      },
    }),
    "passes a content on that is no list": reading({
      decode: (message) =>
        message?.kind === "model"
          ? { role: "assistant", content: message.calls as never, meta: {} }
          : scriptedCodec.decode(message),
    }),
  },
  "identity-agrees": {
    "identifies messages by the host's names of roles": reading({
      identify: (message) => ({ ...scriptedCodec.identify(message), role: message?.kind ?? "" }),
    }),
    "gives results no call id": reading({
      identify: (message) => {
        const { callId: _, ...identity } = scriptedCodec.identify(message);
        return identity;
      },
    }),
    "decodes the time in another unit": scriptedSubject({
      ...scriptedCodecs.times,
      decode: (message) => {
        const decoded = scriptedCodec.decode(message);
        const { timestamp } = decoded;
        return timestamp === undefined ? decoded : { ...decoded, timestamp: timestamp / 1000 };
      },
    }),
  },
  "same-message-same-key": {
    "counts the messages that it has seen": reading(
      counting((message, count) => ({ ...scriptedCodec.identify(message), key: `m${count}` })),
    ),
    "decodes each time to another content": scriptedSubject({
      ...scriptedCodecs.nothing,
      decode: numbered(),
    }),
    "marks the messages that it has read": reading({
      decode: (message) => scriptedCodec.decode(Object.assign(Object(message), { wasRead: true })),
    }),
  },
  "other-message-other-key": {
    "identifies messages by their text": reading({
      identify: (message) => ({ ...scriptedCodec.identify(message), key: message?.text ?? "" }),
    }),
    "makes a fingerprint of the text only": scriptedSubject({
      ...scriptedCodecs.fingerprints,
      identify: (message) => ({
        ...scriptedCodecs.fingerprints.identify(message),
        fingerprint: message?.text ?? "",
      }),
    }),
  },
  "sent-again-is-the-same": {
    "makes the usage a part of a message's fingerprint": scriptedSubject({
      ...scriptedCodecs.fingerprints,
      identify: (message) => ({
        ...scriptedCodecs.fingerprints.identify(message),
        fingerprint: JSON.stringify({ ...message, id: "", at: 0 }),
      }),
    }),
  },
  "round-trip-keeps": {
    "drops images": sending((message) => ({ ...message, pictures: [] })),
    "drops calls": sending((message) => ({ ...message, calls: [] })),
    "trims texts": sending((message) => ({ ...message, text: message.text.slice(0, 4) })),
    "forgets that a result is an error": sending((message) => ({ ...message, failed: false })),
    "sends the host's own kinds as words of the user": sending((message) =>
      message.kind === "note" ? { ...message, kind: "human", pictures: [] } : message,
    ),
    "replaces the content of the host's own kinds": sending((message) =>
      message.kind === "note" ? { ...message, text: "a note was here" } : message,
    ),
  },
  "reasoning-is-kept": {
    "drops the thinking when it decodes": reading({
      decode: (message) => onThinking(scriptedCodec.decode(message), () => []),
    }),
    "keeps the thinking without its signature": reading({
      decode: (message) =>
        onThinking(scriptedCodec.decode(message), ({ thinkingSignature: _left, ...rest }) => [
          rest,
        ]),
    }),
    "calls the signature by a name that core does not know": reading({
      decode: (message) =>
        onThinking(scriptedCodec.decode(message), ({ thinkingSignature: seal = "", ...rest }) => [
          { ...rest, seal },
        ]),
    }),
    "does not encode thinking": sending(({ ...message }) => {
      if (message.kind !== "model") return message;
      const { thinking: _, ...rest } = message;
      return rest;
    }),
  },
  "details-are-kept": {
    "drops the details of results": reading({
      decode: (message) => {
        const decoded = scriptedCodec.decode(message);
        if (decoded.role !== "toolResult") return decoded;
        const { details: _, ...rest } = decoded;
        return rest;
      },
    }),
    "keeps the details as text": reading({
      decode: (message) => {
        const decoded = scriptedCodec.decode(message);
        if (decoded.role !== "toolResult" || decoded.details === undefined) return decoded;
        return { ...decoded, details: JSON.stringify(decoded.details) };
      },
    }),
  },
  "decoded-is-json": {
    "keeps a function": decoding({ toText: () => "" }),
    "keeps a date": decoding({ at: new Date(0) }),
    "keeps a number that is not finite": decoding({ at: Number.NaN }),
  },
};

/** Returns a subject with a codec of which some functions are replaced. */
function reading(codec: Partial<MessageCodec<ScriptedMessage>>): Subject {
  return scriptedSubject({ ...scriptedCodec, ...codec });
}

/** Returns a subject that changes the messages which it encodes. */
function sending(change: (message: ScriptedMessage) => ScriptedMessage): Subject {
  return {
    ...scriptedSubject(),
    encode: (message, stamp) => change(encodeScripted(message, stamp)),
  };
}

/** Returns a subject whose answers have a field with this value. */
function decoding(value: object): Subject {
  return reading({
    decode: (message) => {
      const decoded = scriptedCodec.decode(message);
      // The value is of a type that core does not allow.
      return decoded.role === "assistant"
        ? { ...decoded, meta: { value: value as never } }
        : decoded;
    },
  });
}

function counting(
  identify: (
    message: ScriptedMessage,
    count: number,
  ) => ReturnType<MessageCodec<ScriptedMessage>["identify"]>,
): Partial<MessageCodec<ScriptedMessage>> {
  let count = 0;
  return {
    identify: (message) => {
      count += 1;
      return identify(message, count);
    },
  };
}

/** Returns a function that adds a new number to each message which it decodes. */
function numbered(): (message: ScriptedMessage) => Message {
  let count = 0;
  return (message) => {
    count += 1;
    const decoded = scriptedCodecs.nothing.decode(message);
    return decoded.role === "user" ? { ...decoded, content: `message ${count}` } : decoded;
  };
}

type Answer = Extract<Message, { readonly role: "assistant" }>;
type AnswerBlock = Answer["content"][number];

function onThinking(
  message: Message,
  change: (block: AnswerBlock) => readonly AnswerBlock[],
): Message {
  if (message.role !== "assistant") return message;
  const content = message.content.flatMap((block) =>
    block.type === "thinking" ? change(block) : [block],
  );
  return { ...message, content };
}
