import { openClawCodec, openClawMessage } from "@self-context-manager/adapter-openclaw";
import { piCodec, piMessage } from "@self-context-manager/adapter-pi";
import { type Message, neutralCodec } from "@self-context-manager/core";
import { executionField, type MessageCodec } from "@self-context-manager/core/host";
import {
  type CodecSubject,
  type Encode,
  type ListedMessages,
  scriptedCodecs,
  scriptedMessage,
  type ScriptedMessage,
} from "@self-context-manager/testkit";

/** What a context tool returns with its result. */
const details = { [executionField]: { report: "pinned", effects: [{ op: "pin" }] } };

// The form of Pi and OpenClaw of an answer with thinking and of a tool's result is core's form.

const thoughtful = [
  { type: "thinking", thinking: "a thought", thinkingSignature: "c2lnbmVk" },
  { type: "text", text: "an answer with a thought" },
];

const signedAnswer = {
  message: {
    role: "assistant",
    content: thoughtful,
    usage: { input: 10, output: 2 },
    stopReason: "stop",
    timestamp: 4,
  },
  thinking: "a thought",
  signature: "c2lnbmVk",
} as const;

const pinResult = {
  role: "toolResult",
  toolCallId: "call_9",
  toolName: "pin",
  content: [{ type: "text", text: "pinned" }],
  details,
  isError: false,
  timestamp: 5,
} as const;

/** Pi's codec with messages as Pi records them. */
export const piSubject: CodecSubject<unknown> = {
  codec: piCodec,
  encode: (message, { at }) => piMessage({ ...message, timestamp: at }),
  samples: [
    { role: "custom", customType: "note", content: "an extension's words", display: true },
    { role: "bashExecution", command: "ls", output: "a.txt", exitCode: 0, timestamp: 1 },
    { role: "compactionSummary", summary: "earlier", tokensBefore: 10, timestamp: 2 },
    { role: "assistant", content: [], stopReason: "error", errorMessage: "broke", timestamp: 3 },
  ],
  signed: signedAnswer,
  detailed: { message: pinResult, details },
  sentAgain: (message) => ({ ...Object(message), usage: { input: 99, output: 1 } }),
};

/** OpenClaw's codec with messages as OpenClaw records them. */
export const openClawSubject: CodecSubject<unknown> = {
  codec: openClawCodec,
  encode: (message, { at }) => openClawMessage({ ...message, timestamp: at }),
  samples: [
    { role: "custom", customType: "note", content: "a plugin's words", display: true },
    { role: "compactionSummary", summary: "earlier", tokensBefore: 10, timestamp: 2 },
    { role: "assistant", content: [], stopReason: "error", errorMessage: "broke", timestamp: 3 },
    { role: "user", content: "words", timestamp: 6, idempotencyKey: "run:user", __openclaw: {} },
  ],
  signed: signedAnswer,
  detailed: { message: pinResult, details },
  sentAgain: (message) => ({ ...Object(message), usage: { input: 99, output: 1 } }),
};

/** Core's own codec with messages of an agent that keeps them in core's form. */
export const neutralSubject: CodecSubject<Message> = {
  codec: neutralCodec,
  encode: (message, { at }) => ({ ...message, timestamp: at }),
  samples: [
    { role: "opaque", kind: "note", raw: { words: ["a note"] }, timestamp: 1 },
    { role: "opaque", kind: "note", raw: "a note" },
    { role: "summary", kind: "earlier", raw: "a summary", isFromManager: false, timestamp: 2 },
    { role: "assistant", content: [{ type: "text", text: "half" }], isFailed: true, timestamp: 3 },
    { role: "user", content: "words without a time" },
  ],
  signed: {
    message: {
      role: "assistant",
      content: thoughtful,
      usage: { input: 10, cacheRead: 0, cacheWrite: 0 },
      timestamp: 4,
    },
    thinking: "a thought",
    signature: "c2lnbmVk",
  },
  detailed: { message: pinResult, details },
  sentAgain: (message) =>
    message.role === "assistant"
      ? { ...message, usage: { input: 99, cacheRead: 0, cacheWrite: 0 } }
      : message,
};

export const encodeScripted: Encode<ScriptedMessage> = (message, stamp) => ({
  ...scriptedMessage(message),
  ...stamp,
});

/** A codec of the scripted harness with messages as the harness records them. */
export function scriptedSubject(
  codec: MessageCodec<ScriptedMessage> = scriptedCodecs.ids,
): CodecSubject<ScriptedMessage> {
  const answer = { kind: "model", calls: [], failed: false } as const;
  const output = { kind: "output", text: "pinned", pictures: [], failed: false } as const;
  return {
    codec,
    encode: encodeScripted,
    samples: [
      { id: "m1", at: 1, kind: "note", text: "a note" },
      { id: "m2", at: 2, kind: "summary", text: "a summary" },
      { ...answer, id: "m3", at: 3, text: "half", failed: true },
      { ...answer, id: "m4", at: 4, text: "counted", tokens: 10 },
    ],
    signed: {
      message: { ...answer, id: "m5", at: 5, text: "thought", thinking: "a thought" },
      thinking: "a thought",
      signature: "signed a thought",
    },
    detailed: {
      message: { ...output, id: "m6", at: 6, callId: "call_9", tool: "pin", extra: details },
      details,
    },
    sentAgain: (message) => (message.kind === "model" ? { ...message, tokens: 99 } : message),
  };
}

/** Lists of Pi. */
export const piLists: ListedMessages<unknown> = {
  codec: piCodec,
  encode: piSubject.encode,
  failed: ({ at }) => ({ role: "assistant", content: [], stopReason: "error", timestamp: at }),
  summary: (summary, { at }) => ({ role: "compactionSummary", summary, timestamp: at }),
};

/** Lists of the scripted harness, whose messages a codec identifies. */
export function scriptedLists(
  codec: MessageCodec<ScriptedMessage> = scriptedCodecs.ids,
): ListedMessages<ScriptedMessage> {
  return {
    codec,
    encode: encodeScripted,
    failed: (stamp) => ({ ...stamp, kind: "model", text: "", calls: [], failed: true }),
    summary: (text, stamp) => ({ ...stamp, kind: "summary", text }),
  };
}
