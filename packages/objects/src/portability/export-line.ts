import { messageOf, ImportError } from "../errors.ts";
import { canonicalFields, canonicalJson } from "../model/canonical-json.ts";
import { defined } from "../model/defined.ts";
import { hashFields } from "../model/hash-fields.ts";
import { hashRule } from "../model/hashes.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import type { ObjectBody } from "../model/object-body.ts";
import { opaqueAt, opaqueFields, type OpaqueInside } from "../model/opaque-fields.ts";
import { sealObject } from "../model/sealed-object.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import { checkHeader, checkLine, malformed, shown } from "./import-limits.ts";

/**
 * Returns the first line of an export: the format, its version, and the number of versions that follow, which shows
 * whether the file is complete. If the number is missing, any number of versions is accepted.
 */
export function exportHeader(versions?: number): string {
  return canonicalJson({
    format: "self-context-manager/export",
    format_version: format,
    ...defined({ versions }),
  });
}

/** The format of exports. */
const format = 2;

/** The first line of an export. */
export interface ExportHeader {
  /** The number of versions that follow; undefined if the line does not contain it. */
  readonly versions?: number;
}

/**
 * Returns one version as a line of an export, without the line's end. Keys are sorted, except in the data of providers and
 * tools: the bytes of a request depend on the order of its keys, and no hash records that order.
 */
export function exportLine({ body, hashes, version, at }: StoredVersion): string {
  const object = lineJson({ ...body, ...hashes }, opaqueFields(body));
  return `{"object":${object},"tx_id":${at.tx_id},"tx_time":${JSON.stringify(at.tx_time)},"version":${version}}`;
}

/** Returns the JSON of a value: keys are sorted, except in its opaque parts. */
export function lineJson(value: JsonValue, opaque: OpaqueInside): string {
  if (opaque === true) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${(value as readonly JsonValue[]).map((item) => lineJson(item, opaque)).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = canonicalFields(value).map(
    (field) =>
      `${JSON.stringify(field)}:${lineJson(value[field] ?? null, opaqueAt(opaque, field))}`,
  );
  return `{${fields.join(",")}}`;
}

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
  checkHeader(header);
  const { versions } = header;
  return typeof versions === "number" ? { versions } : {};
}

function headerOf(line: string): JsonObject | undefined {
  try {
    return parseLine(line, 1);
  } catch {
    // A file of any other kind.
    return undefined;
  }
}

/** Reads a version and checks every hash. */
export function readLine(line: string, number: number): StoredVersion {
  const { object, version, at } = checkLine(parseLine(line, number), number);
  const { body, hashes } = seal(object, number);
  return { body, hashes, version, at };
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
    throw malformed(number, "is not JSON", { cause });
  }
  if (!isJsonObject(parsed)) throw malformed(number, "is not a JSON object");
  return parsed;
}
