import { ImportError } from "../errors.ts";
import { canonicalFields, canonicalJson } from "../model/canonical-json.ts";
import { hashFields } from "../model/hashes.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import type { ObjectBody } from "../model/object-body.ts";
import { foreignFields } from "../model/references.ts";
import { sealObject } from "../model/sealed-object.ts";
import type { StoredVersion } from "../model/stored-version.ts";

/**
 * The first line of an export: what it is, which version of the format, and how many versions follow, so that a file
 * that was cut short is known for one. Without that number any are taken.
 */
export function exportHeader(versions?: number): string {
  return canonicalJson({
    format: "self-context-manager/export",
    format_version: newestFormat,
    ...(versions === undefined ? {} : { versions }),
  });
}

const newestFormat = 1;

/** What the first line of an export says. */
export interface ExportHeader {
  /** How many versions follow, where it says so. */
  readonly versions?: number;
}

/**
 * One version as a line of an export, without the line's end. Keys are sorted, but for what providers and tools said:
 * that keeps its order, which the bytes of a request depend on and no hash tells.
 */
export function exportLine({ body, hashes, version, at }: StoredVersion): string {
  return lineJson({
    version,
    tx_id: at.tx_id,
    tx_time: at.tx_time,
    object: { ...body, ...hashes },
  });
}

/** A value as it stands in a line: keys sorted, but for those of what providers and tools said. */
export function lineJson(value: JsonValue): string {
  if (Array.isArray(value))
    return `[${(value as readonly JsonValue[]).map((item) => lineJson(item)).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = canonicalFields(value).map((field) => {
    const item = value[field] ?? null;
    return `${JSON.stringify(field)}:${foreignFields.has(field) ? JSON.stringify(item) : lineJson(item)}`;
  });
  return `{${fields.join(",")}}`;
}

/** Reads the first line of an export. Throws `ImportError` for what is none, and for a format of the future. */
export function readExportHeader(line: string): ExportHeader {
  const header = headerOf(line);
  if (header?.["format"] !== "self-context-manager/export") {
    throw new ImportError(
      "IMPORT_MALFORMED",
      "line 1 is not the header of an export; give a file that `scm export` wrote",
    );
  }
  const found = header["format_version"];
  if (typeof found !== "number") throw malformed(1, "names no format version");
  if (found > newestFormat) {
    throw new ImportError(
      "IMPORT_TOO_NEW",
      `line 1 says format version ${found}; this program reads up to ${newestFormat}: update it and import again`,
    );
  }
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

/** Reads a version back and checks every hash. */
export function readLine(line: string, number: number): StoredVersion {
  const parsed = parseLine(line, number);
  const { version, tx_id: txId, tx_time: txTime, object } = parsed;
  if (!isCount(version)) throw malformed(number, "has no version number");
  if (!isCount(txId)) throw malformed(number, "has no transaction id");
  if (typeof txTime !== "string" || !isNormalTime(txTime)) {
    throw malformed(number, "has no transaction time in ISO 8601 with milliseconds, UTC");
  }
  if (!isJsonObject(object)) throw malformed(number, "holds no object");
  const { body, hashes } = seal(object, number);
  return { body, hashes, version, at: { tx_id: txId, tx_time: txTime } };
}

function seal(object: JsonObject, number: number): Pick<StoredVersion, "body" | "hashes"> {
  const told = object as ObjectBody;
  const names = namesOfHashes(told, number);
  const body = Object.fromEntries(
    Object.entries(object).filter(([field]) => !names.includes(field)),
  );
  const sealed = sealBody(body as ObjectBody, number);
  for (const name of names) {
    const expected = (sealed.hashes as Readonly<Record<string, string>>)[name];
    if (object[name] !== expected) {
      throw new ImportError(
        "IMPORT_DAMAGED",
        `line ${number}: ${name} of object ${told.id} is ${JSON.stringify(object[name] ?? null)}, computed ${expected}; ` +
          "the line was changed or damaged since it was written: export again, or restore the file from a copy",
      );
    }
  }
  return sealed;
}

function namesOfHashes(body: ObjectBody, number: number): readonly string[] {
  try {
    return hashFields(body);
  } catch (cause) {
    throw malformed(number, "holds no object that a store could keep", { cause });
  }
}

function sealBody(body: ObjectBody, number: number): Pick<StoredVersion, "body" | "hashes"> {
  try {
    return sealObject(body);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw malformed(number, `holds no object that a store could keep (${reason})`, { cause });
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

function malformed(number: number, what: string, options?: ErrorOptions): ImportError {
  return new ImportError(
    "IMPORT_MALFORMED",
    `line ${number} ${what}; correct it or export again. Lines before it may be imported already, importing the whole file again passes over them`,
    options,
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isNormalTime(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}
