import { FileError } from "@self-context-manager/objects";
import type { ContextSession, WriteOptions } from "../session/context-session.ts";
import type { HostToolCall, HostToolResult } from "./host-tool-call.ts";
import { listedFiles } from "./listed-files.ts";
import { namedFiles } from "./named-files.ts";

/**
 * Records what a call of one of the host's own tools did to files. The session's tool facts decide what that is:
 *
 * - a read: the files that it names were read, also if it failed, because a known file can be gone;
 * - a write or an edit: the files that it names were written;
 * - a command: the words of its command line that are files, also if it failed, because it can have changed files before.
 *   The files that its output lists become known;
 * - a search: the files that its result names;
 * - any other call: the files among its arguments.
 *
 * A call that failed otherwise records nothing. It can be repeated. Rejects with `StoreError`.
 */
export async function recordCall(
  session: ContextSession,
  call: HostToolCall,
  result: HostToolResult,
): Promise<void> {
  const { id: callId, name, args } = call;
  const { kind, paths, commandLine } = session.toolFacts(name, args);
  if (commandLine === undefined && kind === "read") {
    for (const path of paths) await session.recordRead(path, { callId });
    return;
  }
  if (commandLine === undefined && result.isError === true) return;
  if (commandLine === undefined && (kind === "write" || kind === "edit")) {
    const options = { callId, args: call.writtenArgs ?? args };
    for (const path of paths) await recordWrite(session, path, options);
    return;
  }
  const text = result.text ?? "";
  const named = await namedFiles(session, call, text);
  if (named.length > 0) await session.recordNamed(named, { callId });
  const listed = await listedFiles(session, call, text);
  if (listed.length > 0) await session.recordListed(listed);
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
