import type { Summarizer } from "@self-context-manager/core";
import { defined } from "@self-context-manager/core/host";

import type { CompleteText } from "./openclaw-api.ts";

/**
 * Asks a model of OpenClaw, with the host's own keys: the named one, for which the user must allow the plugin to name a
 * model, or else the one of the agent. The request is not a part of any session.
 */
export function openClawSummarizer(
  complete: CompleteText | undefined,
  model: string | undefined,
): Summarizer {
  return {
    specification: "summarizer-1",
    async summarize({ instruction, text, maxTokens, signal }) {
      signal.throwIfAborted();
      if (complete === undefined)
        throw new Error("this release of OpenClaw completes no requests for plugins");
      const answer = await complete({
        messages: [{ role: "user", content: text }],
        systemPrompt: instruction,
        maxTokens,
        signal,
        purpose: "summary of a finished turn",
        ...defined({ model }),
      });
      signal.throwIfAborted();
      if (answer.text.trim() === "") throw new Error("the model answered without a text");
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } =
        answer.usage ?? {};
      const isReported = inputTokens !== undefined || outputTokens !== undefined;
      const usage = {
        input: inputTokens ?? 0,
        cacheRead: cacheReadTokens ?? 0,
        cacheWrite: cacheWriteTokens ?? 0,
        output: outputTokens ?? 0,
      };
      return {
        text: answer.text,
        model: `${answer.provider}/${answer.model}`,
        ...(isReported ? { usage } : {}),
        ...defined({ cost: costUsd }),
      };
    },
  };
}
