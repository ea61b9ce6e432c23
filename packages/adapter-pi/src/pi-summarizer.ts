import type { SummaryAnswer, Summarizer, SummaryRequest } from "@self-context-manager/core";
import { defined } from "@self-context-manager/core/host";

import { type Fields, isFields, type PiContext } from "./pi-api.ts";
import { piUsage } from "./pi-usage.ts";

/**
 * Asks a model of Pi's registry, with the user's own keys: the named one (`provider/id`), or else the one that the session
 * has now. The request is not a part of Pi's session. Rejects in a release whose registry completes no requests.
 */
export function piSummarizer(name: string | undefined, contextNow: () => PiContext): Summarizer {
  return {
    specification: "summarizer-1",
    async summarize({ instruction, text, maxTokens, signal }: SummaryRequest) {
      signal.throwIfAborted();
      const context = contextNow();
      const registry = isFields(context.modelRegistry) ? context.modelRegistry : {};
      const complete = methodOf(registry, "complete");
      if (complete === undefined)
        throw new Error("summaries need Pi 0.87 or newer; this release completes no requests");
      const model = name === undefined ? context.model : namedModel(registry, name);
      if (model === undefined)
        throw new Error(
          name === undefined ? "Pi has no model now" : `Pi knows no model ${JSON.stringify(name)}`,
        );
      const message = {
        role: "user",
        content: [{ type: "text", text }],
        timestamp: Date.now(),
      };
      const request = { systemPrompt: instruction, messages: [message] };
      // Nothing is sent twice, so a cache entry would only cost.
      const answer = await complete(model, request, { maxTokens, signal, cacheRetention: "none" });
      signal.throwIfAborted();
      return answerOf(answer, `${String(model["provider"])}/${String(model["id"])}`);
    },
  };
}

function namedModel(registry: Fields, name: string): Fields | undefined {
  const at = name.indexOf("/");
  const find = methodOf(registry, "find");
  const found = at === -1 ? undefined : find?.(name.slice(0, at), name.slice(at + 1));
  return isFields(found) ? found : undefined;
}

/** Returns a method bound to its object; undefined if the release lacks it. */
function methodOf(
  object: Fields,
  name: string,
): ((...args: readonly unknown[]) => unknown) | undefined {
  const method = object[name];
  return typeof method === "function"
    ? (...args) => Reflect.apply(method, object, args) as unknown
    : undefined;
}

function answerOf(answer: unknown, model: string): SummaryAnswer {
  const fields = isFields(answer) ? answer : {};
  const { stopReason, errorMessage, content, usage } = fields;
  if (stopReason === "error" || stopReason === "aborted")
    throw new Error(typeof errorMessage === "string" ? errorMessage : "the request failed");
  const blocks = Array.isArray(content) ? content.filter(isFields) : [];
  const text = blocks
    .flatMap((block) => (block["type"] === "text" ? String(block["text"]) : []))
    .join("");
  if (text === "") throw new Error("the model answered without a text");
  const read = piUsage(usage);
  const output = isFields(usage) ? Number(usage["output"]) || 0 : 0;
  const cost = isFields(usage) && isFields(usage["cost"]) ? usage["cost"]["total"] : undefined;
  return {
    text,
    model,
    ...(read === undefined ? {} : { usage: { ...read, output } }),
    ...defined({ cost: typeof cost === "number" && cost > 0 ? cost : undefined }),
  };
}
