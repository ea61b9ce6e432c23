import { isJsonObject, messageOf } from "@self-context-manager/objects";

import { type LogLikelihood, SurpriseError, type SurpriseModel } from "./surprise-model.ts";

export interface ServerModelOptions {
  /** The base URL with its version, for example `http://localhost:8000/v1`. */
  readonly url: string;
  readonly model: string;
  /** The most tokens of a prompt and its answer; default: what the server's list of models says. */
  readonly window?: number;
  /** A key that is sent as a bearer token; default: none. */
  readonly key?: string;
}

/**
 * A model behind an OpenAI-style `/completions` that repeats a prompt with its log-probabilities (`echo`, `logprobs`), as
 * vLLM does. Rejects with a `SurpriseError` if the server does not answer or does not say how long its window is.
 */
export async function openServerModel({
  url,
  model,
  window,
  key,
}: ServerModelOptions): Promise<SurpriseModel> {
  const base = url.replace(/\/+$/u, "");
  const headers = {
    "content-type": "application/json",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const size = window ?? windowIn(await answerOf(`${base}/models`, { headers }), model);
  if (size === undefined)
    throw new SurpriseError(
      "MODEL_UNUSABLE",
      `${base}/models does not say how long the window of ${model} is; name it with --surprise-window`,
    );
  return {
    name: `${model}@${base}`,
    window: size,
    tokens: async () => await Promise.resolve(undefined),
    async logLikelihood(prompt, answer) {
      const body = {
        model,
        prompt: `${prompt}${answer}`,
        echo: true,
        logprobs: 1,
        // Not every server accepts 0. The token is not counted.
        max_tokens: 1,
        temperature: 0,
      };
      const reply = await answerOf(`${base}/completions`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return likelihoodIn(reply, answer, base);
    },
    async [Symbol.asyncDispose]() {
      await Promise.resolve();
    },
  };
}

async function answerOf(url: string, init: RequestInit): Promise<unknown> {
  let text: string;
  let status: number;
  try {
    const response = await fetch(url, init);
    ({ status } = response);
    text = await response.text();
    if (response.ok) return JSON.parse(text);
  } catch (cause) {
    throw new SurpriseError(
      "MODEL_MISSING",
      `${url} gave no answer in JSON (${messageOf(cause)}); start the server, or name another URL`,
      { cause },
    );
  }
  const said = text.slice(0, 300);
  const isLong = status === 400 && /context|too long|maximum|max_model_len/iu.test(text);
  throw new SurpriseError(
    isLong ? "PROMPT_TOO_LONG" : "MODEL_UNUSABLE",
    `${url} answered with status ${status}: ${said}`,
  );
}

/** The window in a list of models, as vLLM writes it. */
function windowIn(list: unknown, model: string): number | undefined {
  const models = isJsonObject(list) && Array.isArray(list["data"]) ? list["data"] : [];
  for (const one of models) {
    if (!isJsonObject(one) || one["id"] !== model) continue;
    const length = one["max_model_len"];
    if (typeof length === "number") return length;
  }
  return undefined;
}

/**
 * The sum over the tokens at the end of the prompt that make up the answer. They are counted from the end, because a
 * token that is a part of a character has no text of its own, and the positions behind it are shifted.
 */
function likelihoodIn(reply: unknown, answer: string, base: string): LogLikelihood {
  const { tokens, values } = logprobsIn(reply) ?? {};
  if (tokens === undefined || values === undefined || tokens.length !== values.length)
    throw new SurpriseError(
      "MODEL_UNUSABLE",
      `${base}/completions does not repeat a prompt with its log-probabilities (echo, logprobs); use a server that does, such as vLLM`,
    );
  let open = answer.length;
  let nats = 0;
  let count = 0;
  for (let at = tokens.length - 1; at >= 0 && open > 0; at -= 1) {
    open -= (tokens[at] ?? "").length;
    // A token that begins before the answer is the same in every view, because the prompt ends in the same line.
    nats += values[at] ?? 0;
    count += 1;
  }
  return { nats, tokens: count };
}

interface Logprobs {
  readonly tokens: readonly string[];
  readonly values: readonly (number | undefined)[];
}

/** The tokens of the prompt with their log-probabilities; the first has none. */
function logprobsIn(reply: unknown): Logprobs | undefined {
  if (!isJsonObject(reply) || !Array.isArray(reply["choices"])) return undefined;
  const [choice] = reply["choices"];
  const logprobs = isJsonObject(choice) ? choice["logprobs"] : undefined;
  if (!isJsonObject(logprobs)) return undefined;
  const { tokens, token_logprobs: values } = logprobs;
  if (!Array.isArray(tokens) || !Array.isArray(values)) return undefined;
  const usage = reply["usage"];
  const said = isJsonObject(usage) ? usage["completion_tokens"] : undefined;
  const made = typeof said === "number" ? said : 1;
  const end = tokens.length - made;
  return {
    tokens: tokens.slice(0, end).map(String),
    values: values.slice(0, end).map((one) => (typeof one === "number" ? one : undefined)),
  };
}
