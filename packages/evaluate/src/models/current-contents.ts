import { isJsonObject, type JsonObject } from "@self-context-manager/objects";

import { type SeenMessage, textIn } from "./seen-request.ts";

/**
 * Returns all texts of messages in their order. Behind each difference and each edit is the content that it makes of what
 * is shown above, because a model that reads them knows this content too.
 */
export function readText(messages: readonly SeenMessage[]): string {
  const contents = new Map<string, string>();
  const handles = new Map<string, string>();
  const calls = new Map(
    messages.flatMap((message) => message.calls.map((call) => [call.id, call])),
  );
  const parts: string[] = [];
  const becomes = (key: string, content: string): void => {
    contents.set(key, content);
    parts.push(content);
  };

  for (const message of messages) {
    parts.push(message.text, ...message.calls.map((call) => textIn(call.arguments)));
    if (message.role !== "tool" && message.role !== "user") continue;
    const args = calls.get(message.callId ?? "")?.arguments ?? {};
    const { path } = args;
    const blocks = blocksIn(message.text);
    for (const { handle, body, isDifference } of blocks) {
      if (typeof path === "string") handles.set(path, handle);
      const before = contents.get(handle);
      if (!isDifference) contents.set(handle, body);
      else if (before !== undefined) becomes(handle, patched(before, body));
    }
    if (typeof path !== "string" || message.isError === true) continue;
    const key = handles.get(path) ?? path;
    const before = contents.get(key);
    const after = before === undefined ? undefined : edited(before, args);
    if (after !== undefined) becomes(key, after);
    // A host without managed context: the result of a call that has nothing but a path is the content.
    else if (blocks.length === 0 && Object.keys(args).length === 1 && !isLine(message.text))
      contents.set(key, message.text);
  }
  return parts.filter((part) => part !== "").join("\n");
}

interface Block {
  readonly handle: string;
  readonly body: string;
  /** Whether it shows the changes since a version above. */
  readonly isDifference: boolean;
}

/** The contents of files that a message shows, each under its header and in a fence. */
function blocksIn(text: string): readonly Block[] {
  const blocks = text.matchAll(
    /^([fno]\d+) .+ v\d+(?: (replaces) v\d+ above, .+| lines .+)?\n(~{3,})\n([\s\S]*?)\n?\3$/gmu,
  );
  return [...blocks].map(([, handle = "", replaces, , body = ""]) => ({
    handle,
    body,
    isDifference: replaces !== undefined,
  }));
}

/** A line in place of a content. */
function isLine(text: string): boolean {
  return /^\[[^\n]*\]$/u.test(text.trim());
}

/** Returns a content with the hunks of a difference. A hunk whose lines are not there changes nothing. */
function patched(content: string, difference: string): string {
  let after = content;
  for (const hunk of difference.split(/^@@ .*@@.*\n/mu).slice(1)) {
    const lines = hunk.replace(/\n$/u, "").split("\n");
    const withSigns = (...signs: readonly string[]): string =>
      lines
        .filter((line) => signs.includes(line.slice(0, 1)))
        .map((line) => line.slice(1))
        .join("\n");
    after = after.replace(withSigns(" ", "-"), () => withSigns(" ", "+"));
  }
  return after;
}

/** Returns a content with the edits of a call. `undefined`: it is no edit, or it does not fit. */
function edited(content: string, args: JsonObject): string | undefined {
  const { edits = [args] } = args;
  let after = content;
  for (const edit of Array.isArray(edits) ? edits : []) {
    const { oldText, newText } = isJsonObject(edit) ? edit : {};
    if (typeof oldText !== "string" || typeof newText !== "string") return undefined;
    if (!after.includes(oldText)) return undefined;
    after = after.replace(oldText, () => newText);
  }
  return after;
}
