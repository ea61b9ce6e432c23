import { type ContextSession, executionField } from "@self-context-manager/core";
import { expect, test } from "vitest";

import { agentContext } from "../src/agent-context.ts";
import { fakeSession } from "./fake-session.ts";

test("a refused call stays one of ours when its result could not be taken in at first", async () => {
  const fake = fakeSession();
  fake.answer = { ok: false, text: "No object is known as f9.", effects: [] };
  const where = { host: { harness: "pi", sessionId: "session-1" }, workspace: "/work" };
  const { session } = await fake.openContext(where);
  const decoded: unknown[] = [];
  const flaky: ContextSession = {
    ...session,
    ingestAndView: async (messages, codec, options) => {
      decoded.push(...messages.map((message) => codec.decode(message)));
      if (decoded.length === 1) throw new Error("the disk is full");
      return await session.view(options);
    },
  };
  const context = agentContext({ session: flaky, workspace: "/work" });
  const pin = context.tools.find(({ name }) => name === "pin");
  await expect(pin?.execute("call_1", { id: "f9" })).rejects.toThrow("No object");
  const result = { role: "toolResult", toolCallId: "call_1", toolName: "pin", content: [] };

  await context.transformContext([result]);
  await context.transformContext([result]);

  expect(decoded).toHaveLength(2);
  expect(decoded[1]).toMatchObject({
    details: { [executionField]: { report: "No object is known as f9." } },
  });
});

test("the breakpoints of a view go into the request that carries it, and into no other", async () => {
  const fake = fakeSession();
  fake.boundaries = [0];
  const where = { host: { harness: "pi", sessionId: "session-1" }, workspace: "/work" };
  const { session } = await fake.openContext(where);
  const failures: unknown[] = [];
  const model = { provider: "anthropic", id: "claude-opus-5", api: "anthropic-messages" };
  const context = agentContext({
    session,
    workspace: "/work",
    model: () => model,
    onFailure: (error) => failures.push(error),
  });
  const cacheControl = { type: "ephemeral" };
  const content = [{ type: "text", text: "the view", cache_control: cacheControl }];
  const system = [{ type: "text", text: "prompt", cache_control: cacheControl }];
  const tools = [{ name: "read", cache_control: cacheControl }];
  const payload = { max_tokens: 1, system, tools, messages: [{ role: "user", content }] };
  const message = { role: "user", content: "hello", timestamp: 1 };

  const early = context.onPayload(payload);
  await context.transformContext([message]);
  const own = context.onPayload(payload);
  fake.failure = new Error("the disk is full");
  await context.transformContext([message]);
  const hosts = context.onPayload(payload);

  expect([early, own, hosts]).toEqual([
    undefined,
    { ...payload, tools: [{ name: "read" }] },
    undefined,
  ]);
  expect(fake.calls).toContainEqual(
    [
      "ingestAndView",
      1,
      [expect.objectContaining({ model: "anthropic/claude-opus-5", breakpoints: "own" })],
    ].flat(),
  );
  expect(failures).toHaveLength(1);
});
