import * as fc from "fast-check";

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { RecordedSession, SessionFigures } from "../src/index.ts";
import type { RecordedMessage } from "../src/read/recorded-session.ts";
import { measureSession, storeSession } from "../src/strategies/replay-session.ts";

/** The figures of a replay of a session; undefined if no segment has two calls. */
export async function replaySession(session: RecordedSession): Promise<SessionFigures | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "scm-replay-test-"));
  try {
    const path = join(folder, "store.sqlite");
    const stored = await storeSession(session, path);
    return stored === undefined ? undefined : await measureSession(session, path, stored);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A session of these rows, as if they had been read from a file. */
export function sessionOf(rows: readonly RecordedMessage[], name = "made"): RecordedSession {
  return { name, source: "neutral", file: `${name}.jsonl`, rows, damaged: [] };
}

export function user(text: string): RecordedMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

export function says(text: string): RecordedMessage {
  return { role: "assistant", content: [{ type: "text", text }] };
}

export function calls(id: string, name: string, args: Record<string, string>): RecordedMessage {
  return { role: "assistant", content: [{ type: "toolCall", id, name, arguments: args }] };
}

export function result(id: string, toolName: string, text: string): RecordedMessage {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName,
    content: [{ type: "text", text }],
    isError: false,
  };
}

/** Unique words: `count` of them that begin with a name. */
export function words(name: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `${name}${index}`).join(" ");
}

interface MadeCall {
  readonly size: number;
  readonly quotes: number;
  readonly isTurn: boolean;
  readonly isWrite: boolean;
  /** Whether the model call contains another tool call, whose result comes first. */
  readonly isPair: boolean;
}

/** Sessions in which later messages quote earlier results, results have many sizes and some calls write files. */
export function madeRows(most: number): fc.Arbitrary<readonly RecordedMessage[]> {
  const one: fc.Arbitrary<MadeCall> = fc.record({
    size: fc.integer({ min: 0, max: 900 }),
    quotes: fc.integer({ min: -1, max: 8 }),
    isTurn: fc.boolean(),
    isWrite: fc.boolean(),
    isPair: fc.boolean(),
  });
  return fc.array(one, { minLength: 2, maxLength: most }).map(rowsOf);
}

function rowsOf(made: readonly MadeCall[]): readonly RecordedMessage[] {
  const rows: RecordedMessage[] = [user("do the work")];
  for (const [index, { size, quotes, isTurn, isWrite, isPair }] of made.entries()) {
    const id = `call${index}`;
    const quoted = quotes < 0 || quotes >= index ? "" : words(`r${quotes}x`, 12);
    const args: Record<string, string> = isWrite
      ? { path: `dir/f${index % 4}.ts`, content: `${quoted} ${words(`w${index}x`, size)}` }
      : { command: `cat dir/f${index % 4}.ts`, note: quoted };
    const name = isWrite ? "write" : "bash";
    const call = { type: "toolCall" as const, id, name, arguments: args };
    const other = { ...call, id: `${id}b`, name: "read", arguments: { path: "dir/other.ts" } };
    rows.push({ role: "assistant", content: isPair ? [call, other] : [call] });
    if (isPair) rows.push(result(other.id, "read", words(`o${index}x`, 40)));
    rows.push(result(id, name, size === 0 ? "" : words(`r${index}x`, size)));
    if (isTurn) rows.push(user(`go on ${index}`));
  }
  rows.push(says("done"));
  return rows;
}
