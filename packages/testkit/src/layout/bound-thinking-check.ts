import { type AssistantMessage, isThinking, type ViewMessage } from "@self-context-manager/core";
import {
  type AssistantStep,
  isAssistantStep,
  type LayoutInput,
} from "@self-context-manager/core/layout";
import { withoutSignedThinking } from "@self-context-manager/core/host";
import assert from "node:assert/strict";

import type { PlayedCall } from "./play-session.ts";

/**
 * Returns a check for the calls of one session, in order. For a model that binds its thinking, it checks each answer that
 * is shown with signed thinking: the messages before it are those of the view that it answered, and so is the thinking
 * before it, unless there is none.
 */
export function boundThinkingCheck(): (played: PlayedCall) => void {
  const sent = new Map<number, PlayedCall>();
  return (played) => {
    sent.set(played.call, played);
    const { input, model, output } = played;
    if (model.thinking !== "bound") return;
    let before: string | undefined;
    for (const [index, message] of output.messages.entries()) {
      const signature = signatureIn(message);
      if (signature === undefined) continue;
      const view = sent.get(answerWith(input, signature)?.view ?? 0);
      assert.ok(view, `the thinking ${signature} was made after no view`);
      assert.deepEqual(view.model, model, `the thinking ${signature} is bound to another prompt`);
      const then = view.output.messages;
      assert.equal(said(output.messages.slice(0, index)), said(then), `before ${signature}`);
      const thought = then.findLast((one) => signatureIn(one) !== undefined);
      if (before !== undefined) assert.equal(before, thought && signatureIn(thought));
      before = signature;
    }
  };
}

/** Returns the signature of the thinking that a message shows. */
export function signatureIn(message: ViewMessage): string | undefined {
  if (message.role !== "assistant") return undefined;
  return message.content.find(isThinking)?.thinkingSignature;
}

function answerWith({ turns }: LayoutInput, signature: string): AssistantStep | undefined {
  return turns
    .flatMap(({ steps }) => steps.filter(isAssistantStep))
    .find(({ assistant }) => assistant.some((block) => block["thinkingSignature"] === signature));
}

/** Returns the bytes of messages without their thinking, to which thinking is not bound. */
function said(messages: readonly ViewMessage[]): string {
  const kept = messages.map((message) =>
    message.role === "assistant" ? withoutThinking(message) : message,
  );
  return JSON.stringify(kept.filter((message) => !isEmpty(message)));
}

function withoutThinking(message: AssistantMessage): AssistantMessage {
  return { ...message, content: withoutSignedThinking(message.content) };
}

function isEmpty(message: ViewMessage): boolean {
  return message.role === "assistant" && message.content.length === 0;
}
