import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { RecordedSession } from "../src/index.ts";
import type { RecordedMessage } from "../src/read/recorded-session.ts";
import { readSession } from "../src/index.ts";

/** A folder for one test. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "replay-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** Lines of JSON; a string is used as a line unchanged. */
function jsonLines(lines: readonly unknown[]): string {
  return lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
}

/** The session that `readSession` reads from a file with these lines. */
export async function sessionOf(
  lines: readonly unknown[],
  name = "one.jsonl",
): Promise<RecordedSession> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, name);
  await writeFile(file, jsonLines(lines));
  return await readSession(file);
}

/** Rows as short lines: role, flags, text and calls. */
export function outline(rows: readonly RecordedMessage[]): readonly string[] {
  return rows.map((row) => {
    const flags = [
      "synthetic" in row && row.synthetic ? "*" : "",
      "compaction" in row && row.compaction ? "!" : "",
      row.role === "toolResult"
        ? `(${row.toolName} ${row.toolCallId}${row.isError ? " failed" : ""})`
        : "",
    ].join("");
    const blocks = row.content.map((block) => {
      if (block.type === "text") return block.text;
      if (block.type === "thinking") return `~${block.thinking}`;
      if (block.type === "image") return `[${block.mimeType} ${block.bytes}]`;
      return `${block.name} ${block.id} ${JSON.stringify(block.arguments)}`;
    });
    return `${row.role}${flags}: ${blocks.join(" | ")}`;
  });
}

/** Whether exactly one result follows each call directly, and no id is repeated. */
export function isPaired(rows: readonly RecordedMessage[]): boolean {
  let open: readonly string[] = [];
  const ids = new Set<string>();
  for (const row of rows) {
    if (row.role === "toolResult") {
      if (!open.includes(row.toolCallId)) return false;
      open = open.filter((id) => id !== row.toolCallId);
      continue;
    }
    if (open.length > 0) return false;
    if (row.role !== "assistant") continue;
    const calls = row.content.filter((block) => block.type === "toolCall").map(({ id }) => id);
    if (calls.some((id) => ids.has(id)) || new Set(calls).size < calls.length) return false;
    for (const id of calls) ids.add(id);
    open = calls;
  }
  return open.length === 0;
}
