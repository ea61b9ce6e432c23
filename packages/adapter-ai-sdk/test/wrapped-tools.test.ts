import type { Connection, HostToolCall, HostToolResult } from "@self-context-manager/core/host";
import { jsonSchema, type ToolExecutionOptions, type ToolSet } from "ai";
import { expect, it } from "vitest";

import type { SdkMessage } from "../src/sdk-messages.ts";
import { contextSdkTool, wrappedTools } from "../src/wrapped-tools.ts";

interface Recorded {
  readonly connection: Connection<SdkMessage>;
  readonly ended: [HostToolCall, HostToolResult][];
}

/** A connection that keeps what it gets. `reason`: why no call may run. */
function recording(reason?: string): Recorded {
  const ended: [HostToolCall, HostToolResult][] = [];
  const parts = {
    beginTool: async () => await Promise.resolve(reason),
    endTool: async (call: HostToolCall, result: HostToolResult) => {
      await Promise.resolve(ended.push([call, result]));
    },
  };
  // The tools use only these two parts.
  return { connection: parts as unknown as Connection<SdkMessage>, ended };
}

const inputSchema = jsonSchema<{ path: string }>({ type: "object", properties: {} });
const options: ToolExecutionOptions<unknown> = {
  toolCallId: "c1",
  messages: [],
  context: undefined,
};
const input = { path: "a.txt" };

function run(tools: ToolSet, name: string, { connection }: Recorded): unknown {
  return wrappedTools(tools, connection)[name]?.execute?.(input, options);
}

async function allOf(outputs: unknown): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const one of outputs as AsyncIterable<unknown>) all.push(one);
  return all;
}

it("records what a tool has returned", async () => {
  const recorded = recording();
  const show = { inputSchema, execute: ({ path }: typeof input) => `text of ${path}` };

  expect(await run({ show }, "show", recorded)).toBe("text of a.txt");
  expect(recorded.ended).toEqual([
    [{ id: "c1", name: "show", args: input }, { text: "text of a.txt" }],
  ]);
});

it("does not run a call that would write a stand-in", async () => {
  const recorded = recording("give the text in full");
  const write = { inputSchema, execute: () => expect.unreachable("the tool runs") };

  await expect(run({ write }, "write", recorded)).rejects.toThrow("give the text in full");
  expect(recorded.ended).toEqual([]);
});

it("passes on the error of a tool and records that it failed", async () => {
  const recorded = recording();
  const execute = async (): Promise<string> => await Promise.reject(new Error("no such file"));

  await expect(run({ show: { inputSchema, execute } }, "show", recorded)).rejects.toThrow(
    "no such file",
  );
  expect(recorded.ended).toMatchObject([
    [{ id: "c1" }, { isError: true, text: "Error: no such file" }],
  ]);
});

it("keeps the outputs that a tool yields one by one", async () => {
  const recorded = recording();
  async function* execute(): AsyncGenerator<string> {
    yield "half";
    yield await Promise.resolve("whole");
  }

  expect(await allOf(run({ show: { inputSchema, execute } }, "show", recorded))).toEqual([
    "half",
    "whole",
  ]);
  expect(recorded.ended).toMatchObject([[{ id: "c1" }, { text: "whole" }]]);
});

it("returns the last output of a function that returns a generator", async () => {
  const recorded = recording();
  async function* outputs(): AsyncGenerator<string> {
    yield "half";
    yield await Promise.resolve("whole");
  }

  expect(await run({ show: { inputSchema, execute: () => outputs() } }, "show", recorded)).toBe(
    "whole",
  );
});

it("runs a tool of a class on its own object", async () => {
  class Shelf {
    readonly inputSchema = inputSchema;
    readonly #prefix = "text of ";
    get description(): string {
      return `Shows the ${this.#prefix}a file.`;
    }
    execute({ path }: typeof input): string {
      return this.#prefix + path;
    }
  }

  expect(await run({ show: new Shelf() }, "show", recording())).toBe("text of a.txt");
});

it("keeps the hidden fields of a tool", () => {
  const show = { inputSchema, execute: () => "a text" };
  Object.defineProperty(show, "experimental_toolCaller", { value: { name: "code" } });

  const wrapped = wrappedTools({ show }, recording().connection);

  expect(Reflect.get(wrapped.show, "experimental_toolCaller")).toEqual({ name: "code" });
});

it("runs a call whose input has a cycle", async () => {
  const circle: Record<string, unknown> = { path: "a.txt" };
  circle["self"] = circle;
  const recorded = recording();
  const tools: ToolSet = { show: { inputSchema, execute: () => "a text" } };

  const output = await wrappedTools(tools, recorded.connection)["show"]?.execute?.(circle, options);

  expect(output).toBe("a text");
  expect(recorded.ended).toMatchObject([[{ args: { path: "a.txt", self: null } }, {}]]);
});

it("leaves a tool without a function as it is", () => {
  const ask = { inputSchema, outputSchema: jsonSchema<string>({ type: "string" }) };

  expect(wrappedTools({ ask }, recording().connection)).toEqual({ ask });
});

it("shows the model the text of a context tool, with what the tool did beside it", async () => {
  const details = { self_context_manager: { report: "done", effects: [] } };
  const tool = contextSdkTool({
    name: "pin",
    description: "Pins.",
    parameters: { type: "object", properties: {}, required: [] },
    run: async () => await Promise.resolve({ text: "done", isError: false, details }),
  });

  const output = { text: "done", isError: false, details };
  const model = await tool.toModelOutput?.({ toolCallId: "c1", input: {}, output });

  expect(await tool.execute?.({}, options)).toEqual(output);
  expect(model).toEqual({ type: "text", value: "done", providerOptions: details });
});
