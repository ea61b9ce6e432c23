import type { ContextSession, JsonObject, WriteOptions } from "@self-context-manager/core";
import { FileError } from "@self-context-manager/core/host";

import { namedFiles } from "./named-files.ts";
import { isFields, type ToolResultEvent } from "./pi-api.ts";

/** The recording of one call of the host's own tools. It can be repeated. */
export type Recording = (session: ContextSession) => Promise<void>;

/** What is known of a call in addition to its result. */
export interface CallFacts {
  /** The folder that the tools' paths are relative to. */
  readonly workspace: string;
  /** Returns the arguments as the model wrote them. The tool can have run with others. */
  readonly writtenArgs: () => JsonObject;
}

/** Returns the recording of a call, or undefined for a call of which nothing is recorded. This needs no store, and no result changes. */
export async function recordingOf(
  event: ToolResultEvent,
  { workspace, writtenArgs }: CallFacts,
): Promise<Recording | undefined> {
  const input = isFields(event.input) ? event.input : {};
  const callId = event.toolCallId;
  const path = typeof input["path"] === "string" ? input["path"] : undefined;
  switch (event.toolName) {
    case "read":
      return path === undefined
        ? undefined
        : async (session) => await session.recordRead(path, { callId });
    case "write":
    case "edit": {
      if (path === undefined || event.isError) return undefined;
      const options = { callId, args: writtenArgs() };
      return async (session) => await recordWrite(session, path, options);
    }
    case "ls":
    case "find":
    case "grep":
    case "bash": {
      if (event.isError && event.toolName !== "bash") return undefined;
      const output = resultText(event.content);
      const paths = await namedFiles({ tool: event.toolName, input, output, workspace });
      if (paths.length === 0) return undefined;
      return async (session) => await session.recordNamed(paths, { callId });
    }
    default:
      return undefined;
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
