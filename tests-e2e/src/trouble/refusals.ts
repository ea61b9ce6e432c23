import type { Reply } from "@self-context-manager/evaluate/loopback";

/** The servers whose error texts are known. */
export type Server = "anthropic" | "openai" | "llama.cpp";

/** A server that refuses prompts above its real window, with the error text of a real one. */
export interface ProviderWindow {
  /** The largest prompt that the server accepts, in tokens. */
  readonly tokens: number;
  readonly server: Server;
}

/** Returns the refusal of a prompt, or undefined if it fits into the window. */
export function refusalOf(
  window: ProviderWindow | undefined,
  promptTokens: number,
): Reply | undefined {
  if (window === undefined || promptTokens <= window.tokens) return undefined;
  return refusals[window.server](promptTokens, window.tokens);
}

type Refusal = (prompt: number, most: number) => Reply;

/** The answers of real servers to a prompt that is too long. */
const refusals: Readonly<Record<Server, Refusal>> = {
  anthropic: (prompt, most) => ({
    type: "error",
    status: 400,
    message: `prompt is too long: ${prompt} tokens > ${most} maximum`,
  }),
  openai: (prompt, most) => ({
    type: "error",
    status: 400,
    message: `This model's maximum context length is ${most} tokens. However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`,
    details: {
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    },
  }),
  "llama.cpp": (prompt, most) => ({
    type: "error",
    status: 400,
    message: `the request exceeds the available context size (${most} tokens), try increasing it`,
    details: {
      code: 400,
      type: "exceed_context_size_error",
      n_prompt_tokens: prompt,
      n_ctx: most,
    },
  }),
};
