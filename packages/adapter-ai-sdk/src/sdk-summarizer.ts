import type { Summarizer } from "@self-context-manager/core";
import { soundUsage } from "@self-context-manager/core/host";
import { generateText, type LanguageModel } from "ai";

/** Asks a model of the AI SDK. */
export function sdkSummarizer(model: LanguageModel): Summarizer {
  return {
    specification: "summarizer-1",
    async summarize({ instruction, text: prompt, maxTokens, signal }) {
      signal.throwIfAborted();
      const { text, usage, response } = await generateText({
        model,
        instructions: instruction,
        prompt,
        maxOutputTokens: maxTokens,
        abortSignal: signal,
        maxRetries: 0,
      });
      if (text.trim() === "") throw new Error("the model answered without a text");
      const { cacheReadTokens, cacheWriteTokens, noCacheTokens } = usage.inputTokenDetails;
      const read = soundUsage({
        input: noCacheTokens ?? usage.inputTokens,
        cacheRead: cacheReadTokens,
        cacheWrite: cacheWriteTokens,
      });
      return {
        text,
        model: response.modelId,
        ...(read === undefined ? {} : { usage: { ...read, output: usage.outputTokens ?? 0 } }),
      };
    },
  };
}
