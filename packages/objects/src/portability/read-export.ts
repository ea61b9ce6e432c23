import { ImportError } from "../errors.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import { type ExportedLine, lineReader, readExportHeader } from "./export-line.ts";
import { checkLength, type ExportHeader } from "./import-limits.ts";
import type { VersionKey } from "./read-in-order.ts";

/** The lines of an export, with their line ends or without. */
export type ExportLines = AsyncIterable<string> | Iterable<string>;

/** A version of an export, and its line. */
export interface NumberedVersion {
  readonly type: "version";
  readonly stored: StoredVersion;
  /** The number of the line; the header is line 1. */
  readonly number: number;
  /** The characters that the version counts for where few are kept in memory: those of its line, or more. */
  readonly characters: number;
}

/** A version that the exported store had lost, and its line. */
export interface LostVersion {
  readonly type: "lost";
  readonly key: VersionKey;
  readonly number: number;
  readonly characters: number;
}

/** Returns a version as it is imported. */
export type ChangeVersion = (stored: StoredVersion) => StoredVersion;

/** What an export contains: first its header. */
export type ExportItem =
  | { readonly type: "header"; readonly header: ExportHeader }
  | NumberedVersion
  | LostVersion;

/** A line with a change can be short and its version long: a character of content counts as this part of one. */
const contentsShare = 4;

function contentOf(line: ExportedLine): number {
  return line.type === "lost" ? 0 : (line.stored.body.content?.length ?? 0) / contentsShare;
}

/**
 * Reads an export. Each line is checked by itself: its limits, its fields and every hash. Throws an `ImportError` that
 * names the line; after the last line, if the number of lines differs from the header's. `change` returns what becomes of a
 * version that was read. Default: it stays.
 */
export async function* readExport(
  lines: ExportLines,
  change: ChangeVersion = (stored) => stored,
): AsyncGenerator<ExportItem> {
  const reader = lineReader();
  let number = 0;
  let read = 0;
  let announced: number | undefined;
  for await (const line of lines) {
    number += 1;
    checkLength(line, number);
    const text = line.trim();
    if (number === 1) {
      const header = readExportHeader(text);
      announced = header.versions;
      yield { type: "header", header };
      continue;
    }
    if (text === "") continue;
    read += 1;
    const found = reader.read(text, number);
    const characters = Math.max(text.length, contentOf(found));
    if (found.type === "lost") yield { ...found, number, characters };
    else yield { ...found, stored: change(found.stored), number, characters };
  }
  if (number === 0) {
    throw new ImportError(
      "IMPORT_MALFORMED",
      "the file is empty; give a file that `scm export` wrote",
    );
  }
  if (announced !== undefined && announced !== read) {
    throw new ImportError(
      "IMPORT_DAMAGED",
      `line 1 announces ${announced} versions, but ${read} follow: the file was cut short, or lines were removed or added; ` +
        "export again, or restore the file from a copy",
    );
  }
}
