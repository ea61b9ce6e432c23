import { type ContextSession, standingInstruction, StoreError } from "@self-context-manager/core";
import { executionField } from "@self-context-manager/core/host";
import { expect, test } from "vitest";

import { agentContext } from "../src/agent-context.ts";
import type { AgentToolLike } from "../src/agent-tools.ts";
import { fakeSession } from "./fake-session.ts";

test("a refused call keeps its details when its result could not be ingested at first", async () => {
  const fake = fakeSession();
  fake.answer = { ok: false, text: "No object is known as f9.", effects: [] };
  const where = { host: { harness: "pi", sessionId: "session-1" }, workspace: "/work" };
  const { session } = await fake.openContext(where);
  const decoded: unknown[] = [];
  const flaky: ContextSession = {
    ...session,
    ingestAndView: async ({ messages }, options) => {
      decoded.push(...messages.map((message) => message.decode()));
      if (decoded.length === 1) throw new Error("the disk is full");
      return await session.nextView(options);
    },
  };
  const context = agentContext({ session: flaky });
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

test("puts the breakpoints of a view only into the request that contains the view", async () => {
  const fake = fakeSession();
  fake.boundaries = [0];
  const where = { host: { harness: "pi", sessionId: "session-1" }, workspace: "/work" };
  const { session } = await fake.openContext(where);
  const failures: unknown[] = [];
  const model = { provider: "anthropic", id: "claude-opus-5", api: "anthropic-messages" };
  const context = agentContext({
    session,
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

test("an agent's prompt and the standing instruction are recorded with the next request, once", async () => {
  const { fake, context } = await openAgentContext();

  const prompt = context.systemPrompt("You count.");
  await context.transformContext([user]);
  await context.transformContext([user]);

  expect(prompt).toBe(`You count.\n\n${standingInstruction}`);
  expect(fake.calls.filter(([name]) => name === "recordSystemPrompt")).toEqual([
    ["recordSystemPrompt", "host", "You count."],
    ["recordSystemPrompt", "own", standingInstruction],
  ]);
});

test("system messages stay at the beginning of a new list, and the agent's own list does not change", async () => {
  const { fake, context } = await openAgentContext();
  const system = { role: "system", content: "You count.", timestamp: 1 };
  const messages = [system, user];

  const sent = await context.transformContext(messages);

  expect(messages).toEqual([system, user]);
  expect(sent).not.toBe(messages);
  expect(sent[0]).toBe(system);
  expect(sent.slice(1)).toMatchObject([{ role: "user", content: "the view" }]);
  // The session gets the messages without the system messages.
  expect(fake.calls.map(([name, count]) => [name, count])).toEqual([["ingestAndView", 1]]);
});

test("what the agent's own transformContext adds and leaves out is marked", async () => {
  const marks: unknown[] = [];
  const { session } = await fakeSession().openContext({
    host: { harness: "pi", sessionId: "session-1" },
    workspace: "/work",
  });
  const marking: ContextSession = {
    ...session,
    ingestAndView: async ({ messages }, options) => {
      marks.push(...messages.map(({ identity, mark }) => [identity, mark]));
      return await session.nextView(options);
    },
  };
  const context = agentContext<typeof user>({
    session: marking,
    transformContext: ([, ...rest]) => [
      ...rest,
      { role: "user", content: "be brief", timestamp: 9 },
    ],
  });

  await context.transformContext([user, { ...user, timestamp: 3 }]);

  expect(marks).toEqual([
    [{ role: "user", timestamp: 2 }, "left-out"],
    [{ role: "user", timestamp: 3 }, "own"],
    [{ role: "user", timestamp: 9 }, "added"],
  ]);
});

test("a wrapped tool does not run for the session's reason, and runs if the check fails", async () => {
  const { fake, context } = await openAgentContext();
  let runs = 0;
  const execute = async (): Promise<{ content: [] }> => {
    runs += 1;
    return await Promise.resolve({ content: [] });
  };
  const tool: AgentToolLike = { name: "write", execute };
  const [write] = context.wrapTools([tool]);
  const run = async (): Promise<unknown> => await write?.execute("call_1", { path: "a" } as never);

  fake.reason = "a reason";
  await expect(run()).rejects.toThrow("a reason");
  expect(runs).toBe(0);
  fake.failure = new Error("the disk is full");
  await run();
  expect(runs).toBe(1);
});

test("a read during a store's trouble is recorded before the next request", async () => {
  const { fake, context } = await openAgentContext();
  const tool: AgentToolLike = {
    name: "read",
    execute: async () => await Promise.resolve({ content: [] }),
  };
  const [read] = context.wrapTools([tool]);
  fake.failure = new StoreError("STORE_BUSY", "the store is locked");

  await read?.execute("call_1", { path: "a.ts" } as never);
  fake.failure = undefined;
  await context.transformContext([user]);

  expect(fake.calls.map(([name, path]) => [name, path]).slice(0, 1)).toEqual([
    ["recordRead", "a.ts"],
  ]);
});

test("the agent's own tools are announced to the session", async () => {
  const { fake, context } = await openAgentContext();
  const execute: AgentToolLike["execute"] = async () => await Promise.resolve({ content: [] });

  context.wrapTools([
    { name: "read", execute },
    { name: "bash", execute },
  ]);

  expect(fake.announced).toEqual(["read", "bash"]);
});

test("tools that are wrapped later leave the earlier ones wrapped", async () => {
  const { fake, context } = await openAgentContext();
  const execute: AgentToolLike["execute"] = async () => await Promise.resolve({ content: [] });
  const [read] = context.wrapTools([{ name: "read", execute }]);
  context.wrapTools([{ name: "bash", execute }]);
  await read?.execute("call_1", { path: "a.ts" } as never);

  expect(fake.announced.slice(-2)).toEqual(["read", "bash"]);
  expect(fake.calls.map(([name]) => name)).toContain("recordRead");
});

test("an agent without a tool read gets the context tool read", async () => {
  const { fake, context } = await openAgentContext();

  const read = context.tools.find(({ name }) => name === "read");
  const result = await read?.execute("call_1", { path: "a.ts" });

  expect(fake.calls).toEqual([["read", { path: "a.ts" }, { callId: "call_1" }]]);
  expect(result?.content).toEqual([{ type: "text", text: "done" }]);
});

const user = { role: "user", content: "hello", timestamp: 2 };

async function openAgentContext() {
  const fake = fakeSession();
  const where = { host: { harness: "pi", sessionId: "session-1" }, workspace: "/work" };
  const { session } = await fake.openContext(where);
  const context = agentContext<typeof user>({ session });
  return { fake, context };
}
