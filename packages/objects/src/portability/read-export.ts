import { ImportError } from "../errors.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import { readExportHeader, readLine } from "./export-line.ts";
import { checkLength } from "./import-limits.ts";

/** The lines of an export, with their line ends or without. */
export type ExportLines = AsyncIterable<string> | Iterable<string>;

/** A version of an export, and its line. */
export interface NumberedVersion {
  readonly stored: StoredVersion;
  /** The number of the line; the header is line 1. */
  readonly number: number;
  /** The length of the line. */
  readonly characters: number;
}

/**
 * Reads the versions of an export. Each line is checked by itself: its limits, its fields and every hash. Throws an
 * `ImportError` that names the line; after the last line, if the number of versions differs from the header's.
 */
export async function* readVersions(lines: ExportLines): AsyncGenerator<NumberedVersion> {
  let number = 0;
  let read = 0;
  let announced: number | undefined;
  for await (const line of lines) {
    number += 1;
    checkLength(line, number);
    const text = line.trim();
    if (number === 1) {
      announced = readExportHeader(text).versions;
      continue;
    }
    if (text === "") continue;
    read += 1;
    yield { stored: readLine(text, number), number, characters: text.length };
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
