import type { JsonObject } from "@self-context-manager/core";
import {
  type BoundAnswer,
  type BoundTool,
  type Connection,
  executionField,
  toJsonWithBase64,
} from "@self-context-manager/core/host";
import { jsonSchema, type Tool, type ToolSet } from "ai";

import { fieldsOf } from "./json-fields.ts";
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
      // No provider reads options of this name.
      ...(executionField in details
        ? { providerOptions: { [executionField]: fieldsOf(details[executionField]) } }
        : {}),
    }),
  };
}

type Execute = NonNullable<ToolSet[string]["execute"]>;
type Run = (...args: Parameters<Execute>) => AsyncGenerator;

/**
 * Wraps the app's tools, so that each call is checked before it runs and recorded afterwards. The client or the provider runs
 * a tool without a function, and its result comes with the messages.
 */
export function wrappedTools<Tools extends ToolSet>(
  tools: Tools,
  connection: Connection<SdkMessage>,
): Tools {
  const wrapped = Object.entries(tools).map(([name, tool]): [string, ToolSet[string]] => [
    name,
    wrappedTool(name, tool, connection),
  ]);
  return { ...tools, ...Object.fromEntries(wrapped) };
}

function wrappedTool(
  name: string,
  tool: ToolSet[string],
  connection: Connection<SdkMessage>,
): ToolSet[string] {
  if (tool.execute === undefined) return tool;
  const run = recordedRun(name, tool, tool.execute, connection);
  // The SDK shows the outputs of a generator one by one, and must know that it is one before the call has been checked.
  const isGenerator = tool.execute.constructor.name === "AsyncGeneratorFunction";
  const last: Execute = async (input, options) => await lastOf(run(input, options));
  const value = isGenerator ? run : last;
  // A tool can be an object of a class, and the SDK keeps hidden fields in some.
  return Object.create(Object.getPrototypeOf(tool), {
    ...Object.getOwnPropertyDescriptors(tool),
    execute: { value, enumerable: true },
  });
}

function recordedRun(
  name: string,
  tool: object,
  execute: Execute,
  connection: Connection<SdkMessage>,
): Run {
  return async function* run(input: unknown, options) {
    const call = { id: options.toolCallId, name, args: fieldsOf(toJsonWithBase64(input)) };
    const reason = await connection.beginTool(call);
    // The SDK recognises a call that did not run only by an error.
    if (reason !== undefined) throw new Error(reason);
    let output: unknown;
    try {
      const result: unknown = Reflect.apply(execute, tool, [input, options]);
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
