import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A result of a tool call of a recorded session. */
export interface RecordedText {
  readonly session: string;
  readonly text: string;
}

/** What an assistant said when it made calls. The numbers of the results of these calls are those that it looked for. */
export interface RecordedQuery {
  readonly words: string;
  readonly session: string;
  readonly relevant: ReadonlySet<number>;
}

export interface RecordedTexts {
  readonly transcriptBytes: number;
  /** Each different text once. */
  readonly texts: readonly RecordedText[];
  readonly queries: readonly RecordedQuery[];
}

interface Row {
  readonly role: string;
  readonly content?: string | readonly Block[];
  readonly toolCallId?: string;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
}

/** A query has at least so many words, and less than so many characters. Every fifth one is asked. */
const fewestWords = 6;
const mostCharacters = 400;
const askedOf = 5;

/** Shorter results say nothing. */
const fewestCharacters = 40;

/** Reads the texts and queries of a folder of recorded sessions in the form of JSON Lines. */
export function recordedTexts(folder: string): RecordedTexts {
  const texts: RecordedText[] = [];
  const known = new Map<string, number>();
  const asked: { words: string; session: string; calls: Set<string>; relevant: Set<number> }[] = [];
  let transcriptBytes = 0;
  for (const file of readdirSync(folder).toSorted()) {
    if (!file.endsWith(".jsonl")) continue;
    const lines = readFileSync(join(folder, file), "utf8");
    transcriptBytes += Buffer.byteLength(lines);
    let last: (typeof asked)[number] | undefined;
    for (const line of lines.split("\n")) {
      if (line === "") continue;
      const row = JSON.parse(line) as Row;
      const blocks = typeof row.content === "string" ? [] : (row.content ?? []);
      if (row.role === "assistant") {
        const calls = blocks.flatMap(({ type, id }) => (type === "toolCall" ? (id ?? []) : []));
        const words = textOf(blocks, " ").trim();
        last = { words, session: file, calls: new Set(calls), relevant: new Set() };
        if (words !== "" && calls.length > 0) asked.push(last);
      } else if (row.role === "toolResult") {
        const text = typeof row.content === "string" ? row.content : textOf(blocks, "\n");
        if (text.length < fewestCharacters) continue;
        const hash = createHash("sha256").update(text).digest("hex");
        const number = known.get(hash) ?? texts.length;
        if (number === texts.length) texts.push({ session: file, text });
        known.set(hash, number);
        if (last?.calls.has(row.toolCallId ?? "") === true) last.relevant.add(number);
      }
    }
  }
  const queries = asked
    .filter(
      ({ words, relevant }) =>
        relevant.size > 0 &&
        words.length < mostCharacters &&
        words.split(/\s+/u).length >= fewestWords,
    )
    .filter((_, index) => index % askedOf === 0);
  return { transcriptBytes, texts, queries };
}

function textOf(blocks: readonly Block[], separator: string): string {
  return blocks.flatMap(({ type, text }) => (type === "text" ? (text ?? []) : [])).join(separator);
}
