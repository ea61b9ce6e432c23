import { connect } from "@self-context-manager/core/host";
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, it } from "vitest";

import { contextMiddleware } from "../src/middleware.ts";
import { sdkCodec, sdkMessage } from "../src/sdk-messages.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const connection = connect({
  open: async () => await Promise.reject(new Error("the disk is full")),
  codec: sdkCodec,
  encode: sdkMessage,
  hostTools: [],
});

/** Returns the requests whose hashes are kept when a request is sent through the middleware. */
async function hashedWith(parts: Partial<typeof connection>): Promise<readonly unknown[]> {
  const hashed: unknown[] = [];
  const followed = {
    ...connection,
    payload: (payload: unknown) => void hashed.push(payload),
    ...parts,
  };
  const model = new MockLanguageModelV4({
    doGenerate: {
      content: [{ type: "text", text: "done" }],
      finishReason: { unified: "stop", raw: undefined },
      usage,
      warnings: [],
      request: { body: "the request" },
    },
  });
  const middleware = contextMiddleware(followed, { chat: [], hasViews: true }, {});
  await generateText({ model: wrapLanguageModel({ model, middleware }), prompt: "look" });
  return hashed;
}

it("keeps the hash of a request", async () => {
  expect(await hashedWith({})).toEqual(["the request"]);
});

it("keeps no hash of a request whose messages could not be read, because it has no call", async () => {
  const beginRequest = (): never => {
    throw new Error("a message cannot be read");
  };

  expect(await hashedWith({ beginRequest })).toEqual([]);
});
