import type { Connection } from "./connection.ts";
import type { HostToolCall } from "./host-tool-call.ts";

/**
 * Runs a tool of the host as a call that is checked before and recorded after it, for an adapter that wraps the functions of
 * tools. Yields each output of a tool that returns them one by one, as an async iterable, and the one output of another tool.
 * Rejects with an error for the model if the call must not run, and with the tool's own error.
 */
export async function* recordedOutputs(
  connection: Pick<Connection<unknown>, "beginTool" | "endTool">,
  call: HostToolCall,
  run: () => unknown,
): AsyncGenerator {
  const reason = await connection.beginTool(call);
  if (reason !== undefined) throw new Error(reason);
  let output: unknown;
  try {
    const result = run();
    if (isIterable(result)) for await (output of result) yield output;
    else yield (output = await result);
  } catch (error) {
    await connection.endTool(call, { isError: true, text: String(error) });
    throw error;
  }
  await connection.endTool(call, typeof output === "string" ? { text: output } : {});
}

/** Returns the last of the outputs of a tool; undefined if there is none. Rejects if the tool fails. */
export async function lastOutput(outputs: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (last of outputs);
  return last;
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
