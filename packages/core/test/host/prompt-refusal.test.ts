import { describe, expect, test } from "vitest";
import { promptRefusal } from "../../src/host/prompt-refusal.ts";

describe("the error of a provider that refused a prompt", () => {
  test.each([
    ["prompt is too long: 213462 tokens > 200000 maximum", { limit: 200_000, prompt: 213_462 }],
    [
      "This model's maximum context length is 30000 tokens. However, your messages resulted in 36392 tokens. Please reduce the length of the messages.",
      { limit: 30_000, prompt: 36_392 },
    ],
    [
      "This model's maximum context length is 30000 tokens. However, you requested 31000 tokens (27000 in the messages, 4000 in the completion).",
      { limit: 26_000, prompt: 27_000 },
    ],
    [
      "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length",
      { limit: 178_667, prompt: 188_240 },
    ],
    [
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
      { limit: 1_048_575, prompt: 1_196_265 },
    ],
    [
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
      { limit: 131_072, prompt: 537_812 },
    ],
    [
      "Input length (265330) exceeds model's maximum context length (262144).",
      { limit: 262_144, prompt: 265_330 },
    ],
    [
      "Input length 40000 exceeds the maximum allowed input length of 32,768 tokens.",
      { limit: 32_768, prompt: 40_000 },
    ],
    [
      "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
      { limit: 8_192, prompt: 9_000 },
    ],
    ["prompt token count of 70000 exceeds the limit of 64000", { limit: 64_000, prompt: 70_000 }],
    [
      "Your request exceeded model token limit: 131072 (requested: 140000)",
      { limit: 131_072, prompt: 140_000 },
    ],
    [
      "Prompt has 9,000 tokens, but the configured context size is 8,192 tokens",
      { limit: 8_192, prompt: 9_000 },
    ],
    [
      "Prompt contains 40000 tokens, too large for model with 32000 maximum context length",
      { limit: 32_000, prompt: 40_000 },
    ],
    [
      "the request exceeds the available context size (30000 tokens), try increasing it",
      { limit: 30_000 },
    ],
    [
      '{"type":"exceed_context_size_error","n_prompt_tokens":36392,"n_ctx":30000}',
      { limit: 30_000, prompt: 36_392 },
    ],
    ["Range of input length should be [1, 98304]", { limit: 98_304 }],
  ])("names numbers: %s", (error, expected) => {
    expect(promptRefusal(error)).toEqual(expected);
  });

  test.each([
    "413 Request Entity Too Large",
    "Your input exceeds the context window of this model",
    "request_too_large: Request exceeds the maximum size",
    "prompt too long; exceeded max context length by 2400 tokens",
    "invalid params, context window exceeds limit",
    "exceeds the limit of 4",
  ])("names no usable number: %s", (error) => {
    expect(promptRefusal(error)).toEqual({});
  });

  test.each([
    "ThrottlingException: Too many tokens, please wait before trying again.",
    "Rate limit reached: too many tokens per minute",
    "429 Too many requests",
    "500 internal error",
    "",
  ])("is another error: %s", (error) => {
    expect(promptRefusal(error)).toBeUndefined();
  });
});
