import {
  type ContextSession,
  FileError,
  type JsonObject,
  toJson,
  type WriteOptions,
} from "@self-context-manager/core";

import { namedFiles } from "./named-files.ts";
import { isFields, type ToolResultEvent } from "./pi-api.ts";

/** Records the call of one of the host's own tools. The result stays unchanged. */
export async function recordResult(
  session: ContextSession,
  event: ToolResultEvent,
  workspace: string,
): Promise<void> {
  const input = isFields(event.input) ? event.input : {};
  const callId = event.toolCallId;
  const path = typeof input["path"] === "string" ? input["path"] : undefined;
  switch (event.toolName) {
    case "read":
      if (path !== undefined) await session.recordRead(path, { callId });
      return;
    case "write":
    case "edit":
      if (path !== undefined && !event.isError)
        await recordWrite(session, path, { callId, args: toJson(input) as JsonObject });
      return;
    case "ls":
    case "find":
    case "grep":
    case "bash": {
      if (event.isError && event.toolName !== "bash") return;
      const output = resultText(event.content);
      const paths = await namedFiles({ tool: event.toolName, input, output, workspace });
      if (paths.length > 0) await session.recordNamed(paths, { callId });
      return;
    }
    default:
      return;
  }
}

async function recordWrite(
  session: ContextSession,
  path: string,
  options: WriteOptions,
): Promise<void> {
  try {
    await session.recordWrite(path, options);
  } catch (error) {
    // The file that the host wrote cannot be read (too large, deleted again). Activating it reports the reason.
    if (!FileError.is(error)) throw error;
  }
}

/** The text blocks of a result's content, joined by line feeds. */
function resultText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content
    .flatMap((block: unknown) =>
      isFields(block) && typeof block["text"] === "string" ? [block["text"]] : [],
    )
    .join("\n");
}
