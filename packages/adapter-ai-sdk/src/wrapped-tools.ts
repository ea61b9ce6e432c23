import type { JsonObject } from "@self-context-manager/core";
import type { BoundAnswer, BoundTool, Connection } from "@self-context-manager/core/host";
import { jsonSchema, type Tool, type ToolSet } from "ai";

import { fieldsOf } from "./json-fields.ts";
import { plain, type SdkMessage } from "./sdk-messages.ts";

/** Returns a context tool as a tool of the SDK. The model gets the text of its output. */
export function contextSdkTool(bound: BoundTool): Tool<JsonObject, BoundAnswer> {
  return {
    description: bound.description,
    inputSchema: jsonSchema<JsonObject>(bound.parameters),
    execute: async (input, { toolCallId }) => await bound.run(input, toolCallId),
    toModelOutput: ({ output: { text, isError, details } }) => ({
      type: isError ? "error-text" : "text",
      value: text,
      // What the tool did is an object by its name, as the SDK's type asks. No provider reads options of this name.
      providerOptions: details as Record<string, JsonObject>,
    }),
  };
}

type Execute = NonNullable<ToolSet[string]["execute"]>;
type Run = (...args: Parameters<Execute>) => AsyncGenerator;

/**
 * Wraps the app's tools, so that each call is checked before it runs and recorded afterwards. The client or the provider runs
 * a tool without a function, and its result comes with the messages.
 */
export function wrappedTools(tools: ToolSet, connection: Connection<SdkMessage>): ToolSet {
  const entries = Object.entries(tools).map(([name, { execute, ...tool }]) => {
    if (execute === undefined) return [name, tool];
    const run = recordedRun(name, execute, connection);
    // The SDK shows the outputs of a generator one by one, and other tools have only one.
    const isGenerator = execute.constructor.name === "AsyncGeneratorFunction";
    const last: Execute = async (input, options) => await lastOf(run(input, options));
    return [name, { ...tool, execute: isGenerator ? run : last }];
  });
  return Object.fromEntries(entries);
}

function recordedRun(name: string, execute: Execute, connection: Connection<SdkMessage>): Run {
  return async function* run(input: unknown, options) {
    const call = { id: options.toolCallId, name, args: fieldsOf(plain(input)) };
    const reason = await connection.beginTool(call);
    // The SDK recognises a call that did not run only by an error.
    if (reason !== undefined) throw new Error(reason);
    let output: unknown;
    try {
      const result: unknown = execute(input, options);
      if (isIterable(result)) for await (output of result) yield output;
      else yield (output = await result);
    } catch (error) {
      await connection.endTool(call, { isError: true, text: String(error) });
      throw error;
    }
    await connection.endTool(call, typeof output === "string" ? { text: output } : {});
  };
}

async function lastOf(outputs: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (last of outputs);
  return last;
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
