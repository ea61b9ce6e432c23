import { answerDetails, type ContextSession, FileError } from "@self-context-manager/core";

import { namedFiles } from "./named-files.ts";
import { type Fields, isFields, type ToolResultEvent } from "./pi-api.ts";

/**
 * Records the call of one of the host's own tools. Returns the details for its result, or undefined to keep the result
 * unchanged.
 */
export async function recordResult(
  session: ContextSession,
  event: ToolResultEvent,
  workspace: string,
): Promise<Fields | undefined> {
  const input = isFields(event.input) ? event.input : {};
  const callId = event.toolCallId;
  const path = typeof input["path"] === "string" ? input["path"] : undefined;
  switch (event.toolName) {
    case "read":
      return path === undefined ? undefined : await recordRead(session, event, path, input);
    case "write":
    case "edit":
      if (path !== undefined && !event.isError) await recordWrite(session, path, callId);
      return undefined;
    case "ls":
    case "find":
    case "grep":
    case "bash": {
      if (event.isError && event.toolName !== "bash") return undefined;
      const output = resultText(event.content);
      const paths = await namedFiles({ tool: event.toolName, input, output, workspace });
      if (paths.length > 0) await session.recordNamed(paths, { callId });
      return undefined;
    }
    default:
      return undefined;
  }
}

async function recordWrite(session: ContextSession, path: string, callId: string): Promise<void> {
  try {
    await session.recordWrite(path, { callId });
  } catch (error) {
    // The file that the host wrote cannot be read (too large, deleted again). Activating it reports the reason.
    if (!FileError.is(error)) throw error;
  }
}

/**
 * A `read` that succeeded in the host runs on the session as well: the file becomes a known and active object, and the
 * result carries the report in its details. If the session cannot read the file (another extension reads over the
 * network), the result stays an ordinary one, and its output is its content.
 */
async function recordRead(
  session: ContextSession,
  event: ToolResultEvent,
  path: string,
  input: Fields,
): Promise<Fields | undefined> {
  if (event.isError) {
    // A known file that was deleted is marked as missing; for an unknown file nothing is recorded.
    if (/\bENOENT\b/u.test(resultText(event.content))) await session.read({ path });
    return undefined;
  }
  if (hasImage(event.content)) {
    // An image is shown in the call's own blocks. The file becomes known, and the call names it.
    await session.read({ path });
    await session.recordNamed([path], { callId: event.toolCallId });
    return undefined;
  }
  const answer = await session.read(
    { path, ...lineNumber(input, "offset"), ...lineNumber(input, "limit") },
    { callId: event.toolCallId },
  );
  if (!answer.ok) return undefined;
  return { ...(isFields(event.details) ? event.details : {}), ...answerDetails(answer) };
}

function lineNumber<Name extends "offset" | "limit">(
  input: Fields,
  name: Name,
): { readonly [name in Name]?: number } {
  const value = input[name];
  const found = typeof value === "number" && Number.isFinite(value) ? { [name]: value } : {};
  return found as { readonly [name in Name]?: number };
}

function hasImage(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.some((block: unknown) => isFields(block) && block["type"] === "image")
  );
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
