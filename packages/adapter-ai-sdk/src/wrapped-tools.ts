import type { JsonObject } from "@self-context-manager/core";
import {
  type BoundAnswer,
  type BoundTool,
  type Connection,
  jsonObject,
  lastOutput,
  recordedOutputs,
} from "@self-context-manager/core/host";
import { jsonSchema, type Tool, type ToolSet } from "ai";

import type { SdkMessage } from "./sdk-messages.ts";

/** Returns a context tool as a tool of the SDK. The model gets the text of its output. */
export function contextSdkTool(bound: BoundTool): Tool<JsonObject, BoundAnswer> {
  return {
    description: bound.description,
    inputSchema: jsonSchema<JsonObject>(bound.parameters),
    execute: async (input, { toolCallId }) => await bound.run(input, toolCallId),
    toModelOutput: ({ output: { text, isError, details } }) => ({
      type: isError ? "error-text" : "text",
      value: text,
      // What the tool did, by its name. No provider reads options of this name.
      providerOptions: details,
    }),
  };
}

type Execute = NonNullable<ToolSet[string]["execute"]>;

/**
 * Wraps the app's tools, so that each call is checked before it runs and recorded afterwards. The client or the provider runs
 * a tool without a function, and its result comes with the messages.
 */
export function wrappedTools<Tools extends ToolSet>(
  tools: Tools,
  connection: Connection<SdkMessage>,
): Tools {
  const wrapped = Object.entries(tools).map(([name, tool]): [string, ToolSet[string]] => {
    const { execute } = tool;
    if (execute === undefined) return [name, tool];
    const run = (...args: Parameters<Execute>): AsyncGenerator => {
      const call = { id: args[1].toolCallId, name, args: jsonObject(args[0]) };
      // The SDK calls the function as a method of its tool.
      return recordedOutputs(connection, call, () => Reflect.apply(execute, tool, args));
    };
    const last = async (...args: Parameters<Execute>): Promise<unknown> =>
      await lastOutput(run(...args));
    // The SDK must know that outputs come one by one before the call has been checked and runs.
    const isGenerator = execute.constructor.name === "AsyncGeneratorFunction";
    // A tool can be an object of a class, and the SDK keeps hidden fields in some.
    const copy: ToolSet[string] = Object.create(Object.getPrototypeOf(tool), {
      ...Object.getOwnPropertyDescriptors(tool),
      execute: { value: isGenerator ? run : last, enumerable: true },
    });
    return [name, copy];
  });
  return { ...tools, ...Object.fromEntries(wrapped) };
}
