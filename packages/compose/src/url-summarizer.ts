import type { Summarizer } from "@self-context-manager/core";
import { isJsonObject, type JsonObject, messageOf } from "@self-context-manager/objects";

export interface UrlSummarizerOptions {
  /** The address of a server with OpenAI's chat completions, such as llama.cpp, Ollama or vLLM: `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  readonly model: string;
  /** The key that the server requires. Default: none. */
  readonly key?: string;
}

/** Asks a model of a server that understands OpenAI's chat completions. */
export function urlSummarizer({ url, model, key }: UrlSummarizerOptions): Summarizer {
  const address = `${url.replace(/\/+$/u, "")}/chat/completions`;
  return {
    specification: "summarizer-1",
    async summarize({ instruction, text, maxTokens, signal }) {
      const response = await answerOf(address, {
        method: "POST",
        signal,
        headers: {
          "content-type": "application/json",
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({
          model,
          max_tokens: maxTokens,
          messages: [
            { role: "system", content: instruction },
            { role: "user", content: text },
          ],
        }),
      });
      const answer = await response.text();
      if (!response.ok)
        throw new Error(
          `the server answered with status ${response.status}: ${answer.slice(0, 300)}`,
        );
      const said = textOf(objectIn(answer));
      if (said.trim() === "") throw new Error("the model answered without a text");
      return { text: said, model, ...usageOf(objectIn(answer)) };
    },
  };
}

async function answerOf(address: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(address, request);
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new Error(`${address} does not answer (${messageOf(cause)})`, { cause: error });
  }
}

function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    // The caller finds no text in it.
    return {};
  }
}

function textOf({ choices }: JsonObject): string {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isJsonObject(first) ? first["message"] : undefined;
  const content = isJsonObject(message) ? message["content"] : undefined;
  return typeof content === "string" ? content : "";
}

function usageOf({
  usage,
}: JsonObject): Pick<Awaited<ReturnType<Summarizer["summarize"]>>, "usage"> {
  if (!isJsonObject(usage)) return {};
  const {
    prompt_tokens: prompt,
    completion_tokens: output,
    prompt_tokens_details: details,
  } = usage;
  if (typeof prompt !== "number" || typeof output !== "number") return {};
  const cached = isJsonObject(details) ? Number(details["cached_tokens"] ?? 0) : 0;
  const cacheRead = Math.min(prompt, Math.max(0, cached));
  return { usage: { input: prompt - cacheRead, cacheRead, cacheWrite: 0, output } };
}
