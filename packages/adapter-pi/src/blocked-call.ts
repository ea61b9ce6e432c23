import type { ContextSession } from "@self-context-manager/core";
import { jsonObject } from "@self-context-manager/core/host";

import type { ToolCallEvent } from "./pi-api.ts";

/** The answer to Pi for a call that must not run. */
export interface BlockedCall {
  readonly block: true;
  /** Pi gives it to the model as the result of the call. */
  readonly reason: string;
}

/** Blocks a call that would write a stand-in into a file; returns undefined for every other call. */
export async function blockedCall(
  session: ContextSession,
  { toolName, input }: ToolCallEvent,
): Promise<BlockedCall | undefined> {
  const args = jsonObject(input);
  const reason = await session.checkArguments(toolName, args);
  return reason === undefined ? undefined : { block: true, reason };
}
