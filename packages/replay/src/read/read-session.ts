import { isJsonObject, messageOf } from "@self-context-manager/objects";
import type { JsonObject } from "@self-context-manager/core";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";

import { claudeCodeReader, isClaudeCode } from "./claude-code.ts";
import { codexReader, isCodex } from "./codex.ts";
import { type FileLine, fileLines } from "./json-lines.ts";
import { isNeutral, neutralReader } from "./neutral.ts";
import { isOpenCode, readOpenCode } from "./opencode.ts";
import { isPi, piReader } from "./pi.ts";
import type { RecordedSession, RecordedSource } from "./recorded-session.ts";
import { RecordingError } from "./recording-error.ts";
import { type Recording, recording } from "./recording.ts";
import type { RowReader } from "./row-reader.ts";

interface LineFormat {
  readonly source: RecordedSource;
  readonly isOfIt: (value: JsonObject) => boolean;
  readonly reader: (rows: Recording) => RowReader;
}

const formats: readonly LineFormat[] = [
  { source: "neutral", isOfIt: isNeutral, reader: neutralReader },
  { source: "claude-code", isOfIt: isClaudeCode, reader: claudeCodeReader },
  { source: "pi", isOfIt: isPi, reader: piReader },
  { source: "codex", isOfIt: isCodex, reader: codexReader },
];

/** The most lines before the first line that shows the format; recorders begin with a few other lines. */
const longestPreamble = 100;

/**
 * Reads one recorded session of any recorder; the content determines the format, not the name.
 *
 * Damaged lines are skipped and listed in `damaged`. Rejects with a `RecordingError` if the file cannot be read or is
 * not a known kind of recording. Of a file of lines, only the needed parts are in memory; an export of OpenCode, which
 * is one document, is in memory as a whole.
 */
export async function readSession(file: string): Promise<RecordedSession> {
  const rows = recording();
  const read = await readLines(file, rows);
  const source = read === "document" ? await readDocument(file, rows) : read;
  if (source === undefined) {
    throw new RecordingError(
      "RECORDING_UNKNOWN",
      file,
      "it is neither a session of Pi, Claude Code, Codex CLI or OpenCode, nor in the neutral format",
    );
  }
  return { name: basename(file).replace(/\.jsonl?$/u, ""), source, file, ...rows.finish() };
}

/** Resolves to `"document"` if the file may be one JSON document instead of lines. */
async function readLines(
  file: string,
  rows: Recording,
): Promise<RecordedSource | "document" | undefined> {
  let reader: RowReader | undefined;
  let source: RecordedSource | undefined;
  const waiting: { readonly value: JsonObject; readonly line: number }[] = [];
  const damaged: FileLine[] = [];
  let lines = 0;
  // The first line of a document with several lines is not JSON by itself.
  let isBroken = false;
  try {
    for await (const { line, text } of fileLines(createReadStream(file))) {
      lines += 1;
      const value = parsed(text);
      if (lines === 1) isBroken = value === undefined && /^\s*\{/u.test(text);
      if (value === undefined) {
        if (reader !== undefined) rows.damaged(line, damageOf(text));
        else damaged.push({ line, text: damageOf(text) });
      } else if (reader !== undefined) {
        reader.read(value, line);
      } else {
        const format = formats.find(({ isOfIt }) => isOfIt(value));
        source = format?.source;
        reader = format?.reader(rows);
        waiting.push({ value, line });
        if (reader !== undefined) {
          for (const { line: at, text: reason } of damaged) rows.damaged(at, reason);
          for (const early of waiting) reader.read(early.value, early.line);
        }
      }
      if (reader === undefined && lines > longestPreamble) return isBroken ? "document" : undefined;
    }
  } catch (cause) {
    throw unreadable(file, cause);
  }
  reader?.end?.();
  return source ?? (lines === 1 || isBroken ? "document" : undefined);
}

async function readDocument(file: string, rows: Recording): Promise<RecordedSource | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    throw unreadable(file, cause);
  }
  const document = parsed(text);
  if (document === undefined || !isOpenCode(document)) return undefined;
  readOpenCode(document, rows);
  return "opencode";
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Not JSON; the caller reports it.
    return undefined;
  }
}

function damageOf(text: string): string {
  const isJson = /^\s*(?:[[\d"-]|true|false|null)/u.test(text);
  return isJson ? "not a JSON object" : "not JSON; the line may be cut off";
}

function unreadable(file: string, cause: unknown): RecordingError {
  return new RecordingError("RECORDING_UNREADABLE", file, `cannot be read: ${messageOf(cause)}`, {
    cause,
  });
}
