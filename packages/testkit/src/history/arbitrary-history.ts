import type { AssistantMessage, Block, Message } from "@self-context-manager/core";
import type { JsonObject } from "@self-context-manager/objects";
import * as fc from "fast-check";

/** One event in a host, as a script that adds to a list of messages. */
export type HostEvent =
  | { readonly type: "user"; readonly content: string | readonly Block[] }
  | { readonly type: "opaque"; readonly text: string }
  | { readonly type: "orphan-result"; readonly output: string }
  | {
      readonly type: "assistant";
      readonly text: string;
      readonly thinking: string;
      readonly stopReason: string;
      readonly calls: readonly CallEvent[];
    };

/** A tool call and its outcome. */
export interface CallEvent {
  readonly tool: string;
  readonly args: JsonObject;
  readonly output: string;
  readonly image: boolean;
  readonly isError: boolean;
  /** The result never arrives. */
  readonly isLost: boolean;
  /** The provider uses an earlier tool call id again. */
  readonly reusesId: boolean;
}

const words = fc.oneof(
  { weight: 6, arbitrary: fc.lorem({ maxCount: 12 }) },
  { weight: 1, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.constant("  \n") },
  { weight: 1, arbitrary: fc.constant("--- user\n~~~~\n[t1 ok]\u2028 x") },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
);

const image: Block = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

const call: fc.Arbitrary<CallEvent> = fc.record({
  tool: fc.constantFrom("bash", "grep", "web"),
  args: fc.oneof(
    fc.record({ command: fc.string({ maxLength: 30 }) }),
    fc.constant({}),
    fc.constant({ ref: "static", id: "x", tx_id: 3, __proto__x: 1 }),
  ),
  output: words,
  image: fc.boolean().map((yes) => yes),
  isError: fc.boolean(),
  isLost: fc.nat(9).map((n) => n === 0),
  reusesId: fc.nat(9).map((n) => n === 0),
});

/** Generates one random event of a host. */
export const hostEvent: fc.Arbitrary<HostEvent> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("user" as const),
      content: fc.oneof(
        words,
        words.map((text) => [{ type: "text", text }, image]),
      ),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("assistant" as const),
      text: words,
      thinking: fc.oneof(fc.constant(""), fc.lorem()),
      stopReason: fc.constantFrom("stop", "stop", "toolUse", "toolUse", "error", "aborted"),
      calls: fc.array(call, { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("opaque" as const), text: words }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("orphan-result" as const), output: words }),
  },
);

/** Converts events to a host's messages. Times and tool call ids continue from `from`, which is updated. */
export function messagesOf(
  events: readonly HostEvent[],
  from: { time: number; calls: number },
): Message[] {
  const messages: Message[] = [];
  const stamp = (): { readonly timestamp: number } => {
    from.time += 1;
    return { timestamp: from.time };
  };
  const result = (
    id: string,
    one: Pick<CallEvent, "tool" | "output" | "image" | "isError">,
  ): Message => ({
    role: "toolResult",
    toolCallId: id,
    toolName: one.tool,
    content: [{ type: "text", text: one.output }, ...(one.image ? [image] : [])],
    isError: one.isError,
    ...stamp(),
  });
  for (const event of events) {
    switch (event.type) {
      case "user":
        messages.push({ role: "user", content: event.content, ...stamp() });
        break;
      case "opaque":
        messages.push({
          role: "opaque",
          kind: "custom",
          raw: { role: "custom", content: event.text },
          ...stamp(),
        });
        break;
      case "orphan-result":
        from.calls += 1;
        messages.push(
          result(`orphan_${from.calls}`, {
            tool: "bash",
            output: event.output,
            image: false,
            isError: false,
          }),
        );
        break;
      case "assistant":
        pushAssistant(event, messages, from, stamp, result);
        break;
    }
  }
  return messages;
}

function pushAssistant(
  event: Extract<HostEvent, { type: "assistant" }>,
  messages: Message[],
  from: { time: number; calls: number },
  stamp: () => { readonly timestamp: number },
  result: (id: string, one: CallEvent) => Message,
): void {
  const used = new Set<string>();
  const calls = event.calls.map((one) => {
    if (!one.reusesId || used.has(`call_${from.calls}`)) from.calls += 1;
    const id = `call_${from.calls}`;
    used.add(id);
    return { ...one, id };
  });
  const content: Block[] = [
    ...(event.thinking === ""
      ? []
      : [{ type: "thinking", thinking: event.thinking, thinkingSignature: "sig" }]),
    { type: "text", text: event.text },
    ...calls.map(({ id, tool, args }) => ({ type: "toolCall", id, name: tool, arguments: args })),
  ];
  const message: AssistantMessage = {
    role: "assistant",
    content,
    meta: { api: "test", model: "test-1", stopReason: event.stopReason },
    ...(event.stopReason === "error" || event.stopReason === "aborted" ? { isFailed: true } : {}),
    ...stamp(),
  };
  messages.push(message);
  if (event.stopReason === "error" || event.stopReason === "aborted") return;
  for (const one of calls) if (!one.isLost) messages.push(result(one.id, one));
}
