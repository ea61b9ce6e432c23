import { expect, it, test } from "vitest";

import { requestBound } from "../../src/meter/request-bound.ts";

const access = { contextWindow: 50_000, maxTokens: 4_000 };
const boundOf = (request: object) => {
  const body = JSON.stringify(request);
  return requestBound(body, JSON.parse(body), access);
};

test.each([
  ["of Anthropic", { max_tokens: 7 }, 7],
  ["of completions", { max_completion_tokens: 8, max_tokens: 9 }, 8],
  ["of several answers", { max_tokens: 9, n: 3 }, 27],
  ["of Responses", { max_output_tokens: 10 }, 10],
  ["of Google", { generationConfig: { maxOutputTokens: 11 } }, 11],
  ["of the model, if the request has none", {}, 4_000],
])("bounds the output by the limit %s", (_, request, output) => {
  expect(boundOf(request).output).toBe(output);
});

it("bounds the input by the bytes of the body and the provider's own instructions", () => {
  expect(boundOf({ text: "ä" }).input).toBe(Buffer.byteLength('{"text":"ä"}') + 1_000);
});

it("adds tokens for images, and for a conversation that the provider keeps", () => {
  const image = { type: "image", source: {} };
  const kept = { previous_response_id: "resp_1" };

  expect(boundOf({ content: [image, image] }).input).toBeGreaterThan(20_000);
  expect(boundOf(kept).input).toBeGreaterThan(50_000);
});

it("sees a cache that lasts an hour", () => {
  expect(boundOf({ cache_control: { type: "ephemeral", ttl: "1h" } }).isLongCache).toBe(true);
  expect(boundOf({ cache_control: { type: "ephemeral" } }).isLongCache).toBe(false);
});
