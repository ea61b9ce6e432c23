import { agentContext } from "@self-context-manager/adapter-pi";
import { standingInstruction } from "@self-context-manager/core";
import { describe, expect, test } from "vitest";

import { openTestSession, type TestSession } from "../src/session/core-sessions.ts";

/** The parts of a pi-agent-core message that the tests read. */
interface Message {
  readonly role: string;
  readonly content: unknown;
  readonly [field: string]: unknown;
}

interface AgentModule {
  readonly Agent: new (options: Readonly<Record<string, unknown>>) => {
    readonly state: { readonly messages: readonly Message[] };
    prompt(text: string): Promise<void>;
  };
}

type Step = (sent: readonly Message[]) => readonly Readonly<Record<string, unknown>>[];

const releases = [
  {
    version: "0.73.1",
    load: async (): Promise<AgentModule> =>
      (await import("pi-agent-core-0-73")) as unknown as AgentModule,
  },
  {
    version: "0.87.1",
    load: async (): Promise<AgentModule> =>
      (await import("pi-agent-core-0-87")) as unknown as AgentModule,
  },
];

const model = {
  id: "scripted",
  name: "Scripted",
  api: "scripted",
  provider: "scripted",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 1_000,
};

let clock = 1_700_000_000_000;

/** Returns a stream function that answers by a script and records the messages that it receives. */
const scripted = (steps: readonly Step[]) => {
  const requests: (readonly Message[])[] = [];
  const prompts: string[] = [];
  const streamFn = (
    _model: unknown,
    context: { readonly messages: readonly Message[]; readonly systemPrompt?: string },
  ) => {
    const sent = structuredClone(context.messages);
    requests.push(sent);
    // Since 0.87 the prompt is the first message.
    prompts.push(context.systemPrompt ?? textOf(sent[0]));
    const content = steps[requests.length - 1]?.(sent) ?? [{ type: "text", text: "too many" }];
    clock += 1;
    const stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
    const message = {
      role: "assistant",
      content,
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: {
        input: 10,
        output: 1,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 11,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
      stopReason,
      timestamp: clock,
    };
    return {
      async *[Symbol.asyncIterator]() {
        yield { type: "start", partial: message };
        yield { type: "done", reason: stopReason, message };
        await Promise.resolve();
      },
      result: async () => await Promise.resolve(message),
    };
  };
  return { requests, prompts, streamFn };
};

const say =
  (text: string): Step =>
  () => [{ type: "text", text }];
const call =
  (id: string, name: string, args: (sent: readonly Message[]) => object): Step =>
  (sent) => [{ type: "toolCall", id, name, arguments: args(sent) }];

const listTool = {
  name: "fetch",
  label: "fetch",
  description: "Fetches something.",
  parameters: { type: "object", properties: {}, additionalProperties: true },
  execute: async () =>
    await Promise.resolve({ content: [{ type: "text", text: "fetched: 42 apples" }], details: {} }),
};

interface Run {
  readonly requests: readonly (readonly Message[])[];
  /** The system prompt of each request. */
  readonly prompts: readonly string[];
  readonly kept: readonly Message[];
  readonly failures: readonly unknown[];
}

/** Runs prompts on a real agent with managed context. */
const run = async (
  { load }: (typeof releases)[number],
  at: TestSession,
  steps: readonly Step[],
  prompts: readonly string[],
): Promise<Run> => {
  const { Agent } = await load();
  const failures: unknown[] = [];
  const managed = agentContext<Message>({
    session: at.session,
    workspace: "/work",
    contextWindow: () => model.contextWindow,
    onFailure: (error) => failures.push(error),
  });
  const { requests, prompts: prompted, streamFn } = scripted(steps);
  const agent = new Agent({
    initialState: {
      systemPrompt: managed.systemPrompt("You count."),
      model,
      tools: [...managed.tools, ...managed.wrapTools([listTool])],
    },
    transformContext: managed.transformContext,
    convertToLlm: (messages: readonly Message[]) => messages,
    streamFn,
  });
  for (const prompt of prompts) await agent.prompt(prompt);
  return { requests, prompts: prompted, kept: agent.state.messages, failures };
};

const textOf = (message: Message | undefined): string =>
  typeof message?.content === "string" ? message.content : JSON.stringify(message?.content ?? "");

const withoutSystem = (messages: readonly Message[] | undefined): readonly Message[] =>
  (messages ?? []).filter(({ role }) => role !== "system");

const handleIn = (sent: readonly Message[]): string =>
  /\[(t\d+) ok/u.exec(withoutSystem(sent).map(textOf).join("\n"))?.[1] ?? "none";

describe.each(releases)("an agent of pi-agent-core $version", (release) => {
  test("sees references and active contents, and deactivates a content itself", async () => {
    const at = await openTestSession({ files: { "/work/a.ts": "const apples = 42;\n" } });

    const { requests, kept, failures } = await run(
      release,
      at,
      [
        call("call_1", "fetch", () => ({})),
        call("call_2", "read", () => ({ path: "a.ts" })),
        call("call_3", "deactivate", (sent) => ({ id: handleIn(sent) })),
        say("42"),
      ],
      ["how many"],
    );

    expect(failures).toEqual([]);
    expect(requests).toHaveLength(4);
    const [, second, third, fourth] = requests.map(withoutSystem);
    expect(second?.map(({ role }) => role)).toEqual([
      "user",
      "user",
      "assistant",
      "toolResult",
      "user",
    ]);
    expect(textOf(second?.[3])).toContain("[t1 ok, 18 chars]");
    expect(textOf(second?.at(-1))).toContain("fetched: 42 apples");
    expect(textOf(third?.at(-1))).toContain("const apples = 42;");
    expect(textOf(fourth?.at(-1))).not.toContain("fetched: 42 apples");
    expect(kept.map(textOf).join("\n")).toContain("fetched: 42 apples");
  });

  test("sends its prompt first, with the standing instruction, and both are stored", async () => {
    const at = await openTestSession();

    const { requests, prompts } = await run(
      release,
      at,
      [say("one"), say("two")],
      ["first", "second"],
    );

    const found = await at.store.find({ where: { type: "system_prompt" } });
    const stored = await at.store.getMany(found.items.map(({ body }) => body.id));
    expect(stored.map((version) => version?.body.content)).toEqual([
      "You count.",
      standingInstruction,
    ]);
    const sent = `You count.\n\n${standingInstruction}`;
    expect(prompts).toEqual([sent, sent]);
    expect(withoutSystem(requests[1]).map(textOf)).toEqual([
      expect.stringContaining("first"),
      expect.stringContaining("one"),
      expect.stringContaining("second"),
    ]);
  });

  test("continues with its own messages when the store is closed, and gets the error", async () => {
    const at = await openTestSession();
    await at.store[Symbol.asyncDispose]();

    const { requests, failures } = await run(
      release,
      at,
      [call("call_1", "fetch", () => ({})), say("42")],
      ["how many"],
    );

    expect(failures.length).toBeGreaterThan(0);
    expect(withoutSystem(requests[1]).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "toolResult",
    ]);
    expect(textOf(withoutSystem(requests[1])[2])).toContain("fetched: 42 apples");
  });

  test("gets a new list, and its own list is unchanged", async () => {
    const at = await openTestSession();
    const { transformContext } = agentContext<Message>({ session: at.session, workspace: "/work" });
    const messages: Message[] = [
      { role: "system", content: "You count.", timestamp: 1 },
      { role: "user", content: [{ type: "text", text: "how many" }], timestamp: 2 },
    ];
    const before = structuredClone(messages);

    const sent = await transformContext(messages);

    expect(messages).toEqual(before);
    expect(sent).not.toBe(messages);
    expect(sent[0]).toBe(messages[0]);
  });
});
