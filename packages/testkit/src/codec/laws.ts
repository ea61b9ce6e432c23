import {
  isImage,
  isText,
  isToolCall,
  type Message,
  textOf,
  type ViewMessage,
} from "@self-context-manager/core";
import { hasSignedThinking, messageKey } from "@self-context-manager/core/host";
import { isJsonObject, type JsonValue } from "@self-context-manager/objects";
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

import { allMessages, oddInput, stampOf, viewMessages } from "./codec-messages.ts";
import type { CodecScenario, CodecSubject, SignedSample } from "./codec-subject.ts";
import { formFaults, jsonFaults } from "./form-faults.ts";

/** The key of a law. It names the law in the doc comment of `MessageCodec` and names the law's test. */
export type CodecLaw =
  | "odd-input-is-read"
  | "identity-agrees"
  | "same-message-same-key"
  | "other-message-other-key"
  | "sent-again-is-the-same"
  | "round-trip-keeps"
  | "reasoning-is-kept"
  | "details-are-kept"
  | "decoded-is-json";

const oddInputIsRead: CodecScenario = (subject) => {
  const { codec } = subject;
  for (const odd of oddInput(allMessages(subject))) {
    const shown = short(odd);
    try {
      codec.identify(odd);
    } catch (error) {
      assert.fail(`identify throws ${String(error)} for ${shown}`);
    }
    try {
      const faults = formFaults(codec.decode(odd));
      assert.deepEqual(faults, [], `the form of the message that is decoded from ${shown}`);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      assert.fail(`decode throws ${String(error)} for ${shown}; return an opaque message`);
    }
  }
};

const identityAgrees: CodecScenario = (subject) => {
  const { codec } = subject;
  const messages = allMessages(subject);
  for (const message of [...messages, ...oddInput(messages)]) {
    const identity = codec.identify(message);
    const decoded = codec.decode(message);
    const role = "kind" in decoded ? decoded.kind : decoded.role;
    assert.equal(identity.role, role, `the role of ${short(message)} in identify and in decode`);
    if (decoded.role === "toolResult" && identity.callId !== undefined)
      assert.equal(identity.callId, decoded.toolCallId, `the call id of ${short(message)}`);
    if (identity.key === undefined)
      assert.equal(identity.timestamp, decoded.timestamp, `the time of ${short(message)}`);
  }
  const results = viewMessages(true).filter((message) => message.role === "toolResult");
  for (const message of results) {
    const raw = subject.encode(message, stampOf(0));
    assert.equal(codec.identify(raw).callId, message.toolCallId, "the call id of a result");
  }
};

const sameMessageSameKey: CodecScenario = (subject) => {
  const { codec } = subject;
  for (const message of allMessages(subject)) {
    const copy = structuredClone(message);
    const key = messageKey(copy, codec);
    const decoded = codec.decode(copy);
    assert.deepEqual(copy, message, "identify and decode do not change the host's message");
    assert.equal(messageKey(message, codec), key, `the key of ${short(message)}, each time`);
    assert.deepEqual(
      codec.decode(message),
      decoded,
      `the content of ${short(message)}, each time: no clock, no counter, no new id`,
    );
  }
};

const otherMessageOtherKey: CodecScenario = (subject) => {
  const { codec } = subject;
  const known = new Map<string, unknown>();
  for (const message of allMessages(subject)) {
    const key = messageKey(message, codec);
    if (known.has(key))
      assert.fail(`${short(message)} and ${short(known.get(key))} have the same key ${key}`);
    known.set(key, message);
  }
};

const sentAgainIsTheSame: CodecScenario = (subject) => {
  const { codec, sentAgain } = subject;
  if (sentAgain === undefined) return;
  for (const message of allMessages(subject)) {
    const again = sentAgain(message);
    assert.equal(
      messageKey(again, codec),
      messageKey(message, codec),
      `the key of ${short(message)}, which the host sends again as ${short(again)}`,
    );
  }
};

const roundTripKeeps: CodecScenario = (subject) => {
  const { codec, encode, samples, images = true } = subject;
  for (const [index, message] of viewMessages(images).entries()) {
    const decoded = codec.decode(encode(message, stampOf(index)));
    assert.deepEqual(partsOf(decoded), partsOf(message), `parts of ${short(message)}`);
  }
  for (const [index, raw] of samples.entries()) {
    const decoded = codec.decode(raw);
    if (decoded.role === "summary") continue;
    const again = codec.decode(encode(decoded, stampOf(index)));
    assert.deepEqual(partsOf(again), partsOf(decoded), `parts of ${short(raw)}`);
    if (decoded.role !== "opaque" || again.role !== "opaque") continue;
    const other = codec.decode(encode(decoded, stampOf(samples.length + index)));
    assert.ok(other.role === "opaque", `the role of ${short(raw)}, each time`);
    assert.deepEqual(
      unstamped(again.raw, again.raw, other.raw),
      unstamped(decoded.raw, again.raw, other.raw),
      `the content of ${short(raw)}, except for the stamp`,
    );
  }
};

/** Returns a value without the fields in which two messages with different stamps differ. */
function unstamped(value: JsonValue, one: JsonValue, other: JsonValue): JsonValue {
  if (!isJsonObject(value) || !isJsonObject(one) || !isJsonObject(other)) return value;
  const kept = Object.entries(value).flatMap(([name, field = null]) => {
    const [left = null, right = null] = [one[name], other[name]];
    const isStamp = !(isJsonObject(left) && isJsonObject(right)) && !isDeepStrictEqual(left, right);
    return isStamp ? [] : [[name, unstamped(field, left, right)]];
  });
  return Object.fromEntries(kept);
}

/** Returns the parts of a message that a host must keep. */
function partsOf(message: Message): unknown {
  if (message.role === "opaque" || message.role === "summary")
    return { role: message.role, kind: message.kind };
  const { content } = message;
  const blocks = typeof content === "string" ? [] : content;
  return {
    role: message.role,
    // A host can keep several texts as one.
    text: textOf(content),
    images: blocks.filter(isImage).map(({ data, mimeType }) => ({ data, mimeType })),
    calls: blocks.filter(isToolCall).map(({ id, name, arguments: args }) => ({ id, name, args })),
    ...resultOf(message),
  };
}

function resultOf(message: ViewMessage): object {
  if (message.role !== "toolResult") return {};
  const { toolCallId, toolName, isError } = message;
  return { toolCallId, toolName, isError };
}

const reasoningIsKept: CodecScenario = ({ codec, encode, signed }) => {
  if (signed === undefined) return;
  const decoded = codec.decode(signed.message);
  assert.ok(decoded.role === "assistant", "the signed sample is an answer");
  assertSigned(decoded, signed, "the decoded answer");

  const again = codec.decode(encode(decoded, stampOf(0)));
  assert.ok(again.role === "assistant", "the encoded answer is an answer");
  assertSigned(again, signed, "the answer that was encoded and decoded again");

  const plain = codec.decode(encode(withoutThinking(decoded), stampOf(1)));
  assert.ok(plain.role === "assistant" && !isSigned(plain), "an answer without thinking");
};

type Answer = Extract<Message, { readonly role: "assistant" }>;

function assertSigned<Raw>(
  answer: Answer,
  { thinking, signature }: SignedSample<Raw>,
  what: string,
): void {
  const json = JSON.stringify(answer.content);
  assert.ok(json.includes(JSON.stringify(thinking).slice(1, -1)), `${what} has the thinking`);
  assert.ok(json.includes(JSON.stringify(signature).slice(1, -1)), `${what} has the signature`);
  assert.ok(isSigned(answer), `${what} shows core that its thinking is signed`);
}

function isSigned({ content }: Answer): boolean {
  return hasSignedThinking({ assistant: content, assistant_meta: {}, toolcall_ids: [] });
}

function withoutThinking(answer: Answer): Answer {
  const content = answer.content.filter((block) => isText(block) || isToolCall(block));
  return { ...answer, content };
}

const detailsAreKept: CodecScenario = ({ codec, detailed }) => {
  if (detailed === undefined) return;
  const decoded = codec.decode(detailed.message);
  assert.ok(decoded.role === "toolResult", "the detailed sample is a result");
  assert.deepEqual(decoded.details, detailed.details, "the details of a result");
};

const decodedIsJson: CodecScenario = (subject) => {
  const { codec } = subject;
  for (const message of allMessages(subject))
    assert.deepEqual(jsonFaults(codec.decode(message)), [], `the decoded ${short(message)}`);
};

/** Returns the beginning of a message's JSON, for reports. */
function short(message: unknown): string {
  const json = JSON.stringify(message);
  return json.length > longest ? `${json.slice(0, longest)}…` : json;
}

/** The greatest length of a message in a report, in characters. */
const longest = 300;

/** All laws, each with the scenario that tests it. */
export const codecLaws: Readonly<Record<CodecLaw, CodecScenario>> = {
  "odd-input-is-read": oddInputIsRead,
  "identity-agrees": identityAgrees,
  "same-message-same-key": sameMessageSameKey,
  "other-message-other-key": otherMessageOtherKey,
  "sent-again-is-the-same": sentAgainIsTheSame,
  "round-trip-keeps": roundTripKeeps,
  "reasoning-is-kept": reasoningIsKept,
  "details-are-kept": detailsAreKept,
  "decoded-is-json": decodedIsJson,
};

/** The laws that bind only a subject with this part. */
export const codecLawNeeds: Readonly<Partial<Record<CodecLaw, keyof CodecSubject<unknown>>>> = {
  "sent-again-is-the-same": "sentAgain",
  "reasoning-is-kept": "signed",
  "details-are-kept": "detailed",
};
