import { messageOf, ImportError } from "../errors.ts";
import { canonicalJson } from "../model/canonical-json.ts";
import { defined } from "../model/defined.ts";
import { hashFields } from "../model/hash-fields.ts";
import { hashRule } from "../model/hashes.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import type { ObjectBody } from "../model/object-body.ts";
import { sealObject } from "../model/sealed-object.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import { applyChange } from "./change-apply.ts";
import {
  type CheckedLine,
  checkHeader,
  type ExportHeader,
  checkLine,
  malformed,
  shown,
} from "./import-limits.ts";
import type { VersionKey } from "./read-in-order.ts";
import { type RecentLines, recentLines } from "./recent-lines.ts";

/**
 * Returns the first line of an export: the format, its version, and the number of lines that follow, which shows whether
 * the file is complete. If the number is missing, any number of lines is accepted.
 */
export function exportHeader({ versions, since = 0 }: Partial<ExportHeader> = {}): string {
  return canonicalJson({
    format: "self-context-manager/export",
    format_version: format,
    ...(since > 0 ? { since } : {}),
    ...defined({ versions }),
  });
}

/** The format of exports. */
const format = 2;

/** Reads the first line of an export. Throws an `ImportError` for any other line and for a newer format. */
export function readExportHeader(line: string): ExportHeader {
  const header = headerOf(line);
  if (header?.["format"] !== "self-context-manager/export") {
    throw new ImportError(
      "IMPORT_MALFORMED",
      "line 1 is not the header of an export; give a file that `scm export` wrote",
    );
  }
  const found = header["format_version"];
  if (!Number.isSafeInteger(found) || Number(found) < format)
    throw malformed(1, "names no format version of a release");
  if (Number(found) > format) {
    throw new ImportError(
      "IMPORT_TOO_NEW",
      `line 1 has format version ${Number(found)}; this program reads up to ${format}: update it and import again`,
    );
  }
  return checkHeader(header);
}

function headerOf(line: string): JsonObject | undefined {
  try {
    return parseLine(line, 1);
  } catch {
    // A file of any other kind.
    return undefined;
  }
}

/** A line that follows the header: a version, or the number of a version that the exported store had lost. */
export type ExportedLine =
  | { readonly type: "version"; readonly stored: StoredVersion }
  | { readonly type: "lost"; readonly key: VersionKey };

/** Reads the lines that follow the header, in the order of the file. */
export interface LineReader {
  /** Reads a line and checks its limits, its fields and every hash. Throws an `ImportError` that names the line. */
  read(line: string, number: number): ExportedLine;
}

export function lineReader(): LineReader {
  const recent = recentLines();
  return {
    read(line, number) {
      const checked = checkLine(parseLine(line, number), number);
      if (checked.type === "lost") return checked;
      const { type, version, at } = checked;
      const object =
        checked.type === "change" ? changedObject(checked, number, recent) : checked.object;
      const stored = { ...seal(object, number), version, at };
      recent.note(stored, line.length, type);
      return { type: "version", stored };
    },
  };
}

function changedObject(
  { id, from, change }: Extract<CheckedLine, { readonly type: "change" }>,
  number: number,
  recent: RecentLines,
): JsonObject {
  const before = recent.get(id)?.stored;
  if (before === undefined || before.version !== from) {
    throw malformed(
      number,
      `changes version ${from} of object ${shown(id)}, which is not the last line of the object before it`,
    );
  }
  try {
    return applyChange({ ...before.body, ...before.hashes }, change);
  } catch (cause) {
    throw malformed(number, `has a change that cannot be applied: ${messageOf(cause)}`, { cause });
  }
}

function seal(object: JsonObject, number: number): Pick<StoredVersion, "body" | "hashes"> {
  const claimed = object as ObjectBody;
  checkRule(object, number);
  const names = namesOfHashes(claimed, number);
  const fields = Object.fromEntries(
    Object.entries(object).filter(([field]) => !names.includes(field)),
  );
  const { body, hashes } = sealBody(fields as ObjectBody, number);
  for (const name of names) {
    const expected = (hashes as Readonly<Record<string, string | number>>)[name];
    if (object[name] !== expected) {
      throw new ImportError(
        "IMPORT_DAMAGED",
        `line ${number}: ${name} of object ${claimed.id} is ${shown(object[name] ?? null)}, computed ${expected}; ` +
          "the line was changed or damaged since it was written: export again, or restore the file from a copy",
      );
    }
  }
  return { body, hashes };
}

function checkRule({ hash_rule: rule }: JsonObject, number: number): void {
  if (typeof rule !== "number" || rule <= hashRule) return;
  throw new ImportError(
    "IMPORT_TOO_NEW",
    `line ${number} has hash rule ${rule}; this program supports up to ${hashRule}: update it and import again`,
  );
}

function namesOfHashes(body: ObjectBody, number: number): readonly string[] {
  try {
    return hashFields(body);
  } catch (cause) {
    throw malformed(number, "contains no object that a store can keep", { cause });
  }
}

function sealBody(body: ObjectBody, number: number): Pick<StoredVersion, "body" | "hashes"> {
  try {
    return sealObject(body);
  } catch (cause) {
    throw malformed(number, `contains no object that a store can keep (${messageOf(cause)})`, {
      cause,
    });
  }
}

function parseLine(line: string, number: number): JsonObject {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (cause) {
    throw malformed(number, "is not JSON; if it is the last one, the file was cut short", {
      cause,
    });
  }
  if (!isJsonObject(parsed)) throw malformed(number, "is not a JSON object");
  return parsed;
}
