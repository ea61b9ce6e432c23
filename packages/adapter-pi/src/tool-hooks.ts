import { hostToolCall, hostToolResult } from "./host-tool-call.ts";
import type { PiApi } from "./pi-api.ts";
import type { PiSessions } from "./pi-sessions.ts";
import { writtenArguments } from "./written-arguments.ts";

/** The hooks of tools. */
export function toolHooks(pi: PiApi, sessions: PiSessions): void {
  const { tools } = sessions;

  pi.on("tool_call", async (event, context) => {
    const reason = await sessions.at(context).connection.beginTool(hostToolCall(event));
    // Pi gives the reason to the model as the result of the call.
    return reason === undefined ? undefined : { block: true, reason };
  });

  pi.on("tool_result", async (event, context) => {
    if (tools.names.has(event.toolName))
      return tools.takeRefused(event.toolCallId) ? { isError: true } : undefined;
    const { connection } = sessions.at(context);
    if (!connection.isOn) return undefined;
    const call = hostToolCall(event, () => writtenArguments(event, context));
    await connection.endTool(call, hostToolResult(event));
    return undefined;
  });

  pi.on("agent_end", async () => await sessions.present()?.connection.endTools());
}
