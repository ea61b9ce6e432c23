import { ImportError } from "../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { isObjectId, type ObjectId } from "../model/object-id.ts";
import type { StoredVersion, VersionPoint } from "../model/stored-version.ts";
import {
  greatestTxId,
  isTransactionTime,
  mayFollow,
  timeOf,
} from "../store-kit/transaction-time.ts";
import type { VersionKey } from "./read-in-order.ts";

/** The limits of the files that an import reads. */
export const importLimits: { readonly lineBytes: number; readonly lines: number } = {
  /** The bytes of a line in UTF-8. A text of this length fits into a JavaScript string in any script. */
  lineBytes: 256 * 1024 * 1024,
  /** The lines of a file. One entry is kept for each object, and a map has at most 16.7 million. */
  lines: 16_000_000,
};

/** The fields of the three kinds of lines, and those of the first line. */
const fields = {
  whole: ["object", "tx_id", "tx_time", "version"],
  change: ["change", "from", "id", "tx_id", "tx_time", "version"],
  lost: ["id", "lost", "version"],
  header: ["format", "format_version", "since", "versions"],
};

/** The first line of an export. */
export interface ExportHeader {
  /** The number of lines that follow; undefined if the line does not contain it. */
  readonly versions?: number;
  /** The transaction after which the export begins; 0 if it has all. */
  readonly since: number;
}

/** Checks the fields of the first line, and returns them. Throws an `ImportError` that names the field. */
export function checkHeader(header: JsonObject): ExportHeader {
  checkFields(header, 1, fields.header);
  const { versions, since = 0 } = header;
  if (!isWhole(since, 0, greatestTxId))
    throw beyond(1, "since", since, `a whole number from 0 to ${greatestTxId}`);
  if (versions === undefined) return { since };
  if (!isWhole(versions, 0, importLimits.lines))
    throw beyond(1, "versions", versions, `a whole number from 0 to ${importLimits.lines}`);
  return { since, versions };
}

/** Checks the number and the length of a line before it is parsed. A unit of its text has at least one byte. */
export function checkLength(line: string, number: number): void {
  if (number > importLimits.lines) throw tooMany();
  if (line.length > importLimits.lineBytes) throw lineTooLong(number, importLimits.lineBytes);
}

/** Returns the error for a line that is longer than a limit in bytes. */
export function lineTooLong(number: number, limit: number): ImportError {
  return malformed(number, `is longer than the limit of ${limit} bytes`);
}

function tooMany(): ImportError {
  return malformed(
    importLimits.lines,
    "is the last that an import reads, and further ones follow: divide the export",
  );
}

/** A line whose fields are checked, each by itself: a whole version, a changed one, or one that was lost. */
export type CheckedLine =
  | ({ readonly type: "whole"; readonly object: JsonObject } & NumberedPoint)
  | ({
      readonly type: "change";
      readonly id: ObjectId;
      /** The number of the version that was changed. */
      readonly from: number;
      readonly change: JsonValue;
    } & NumberedPoint)
  | { readonly type: "lost"; readonly key: VersionKey };

interface NumberedPoint {
  readonly version: number;
  readonly at: VersionPoint;
}

/**
 * Checks the fields of a line, each by itself. Throws an `ImportError` that names the field, its value and the limit. Of a
 * whole object only the id is checked.
 */
export function checkLine(parsed: JsonObject, number: number): CheckedLine {
  const type = Object.hasOwn(parsed, "lost")
    ? "lost"
    : Object.hasOwn(parsed, "change")
      ? "change"
      : "whole";
  checkFields(parsed, number, fields[type]);
  const { id, lost, object, from, change = null } = parsed;
  const version = checkVersion(parsed, "version", number);
  if (type === "lost") {
    if (lost !== true) throw beyond(number, "lost", lost, "true");
    return { type, key: { id: checkId(id, number), version } };
  }
  const at = checkPoint(parsed, number);
  if (type === "change") {
    const former = checkVersion(parsed, "from", number);
    if (former >= version) throw beyond(number, "from", from, `below ${version}, the version`);
    return { type, id: checkId(id, number), from: former, change, version, at };
  }
  if (!isJsonObject(object)) throw malformed(number, "holds no object");
  checkId(object["id"], number);
  return { type, object, version, at };
}

function checkVersion(parsed: JsonObject, field: "version" | "from", number: number): number {
  const value = parsed[field];
  if (isWhole(value, 1, Number.MAX_SAFE_INTEGER)) return value;
  throw beyond(number, field, value, "a whole number above 0");
}

function checkId(id: JsonValue | undefined, number: number): ObjectId {
  if (typeof id === "string" && isObjectId(id)) return id;
  const rule = "a text of 1 to 512 printable characters without spaces at its ends";
  throw beyond(number, "id", id, rule);
}

function checkPoint({ tx_id: txId, tx_time: txTime }: JsonObject, number: number): VersionPoint {
  if (!isWhole(txId, 1, greatestTxId))
    throw beyond(number, "tx_id", txId, `a whole number from 1 to ${greatestTxId}`);
  if (typeof txTime === "string" && isNormalTime(txTime)) return { tx_id: txId, tx_time: txTime };
  const rule = "a time of the years 1970 to 2200 in ISO 8601 with milliseconds, UTC";
  throw beyond(number, "tx_time", txTime, rule);
}

/** The version that a line must follow: its number, 0 if there is none, and its point. */
export interface FormerVersion {
  readonly version: number;
  readonly at?: VersionPoint;
}

/**
 * Checks that a line follows the former version of its object, and the transaction of the line before it. Throws an
 * `ImportError`.
 */
export function checkOrder(
  former: FormerVersion,
  lastTxId: number,
  { body, version, at }: StoredVersion,
  number: number,
): void {
  if (at.tx_id < lastTxId)
    throw beyond(number, "tx_id", at.tx_id, `at least ${lastTxId}, as in the line before`);
  const id = shown(body.id);
  checkNext(former, body.id, version, number);
  if (former.at === undefined) return;
  if (at.tx_id === former.at.tx_id)
    throw beyond(number, "tx_id", at.tx_id, `above that of the former version of object ${id}`);
  if (!mayFollow(timeOf(former.at), timeOf(at))) {
    const rule = `not before ${former.at.tx_time}, the time of the former version of object ${id}`;
    throw beyond(number, "tx_time", at.tx_time, rule);
  }
}

/** Checks that a line of a version, or of a lost one, follows the former version of its object by its number. */
export function checkNext(
  former: FormerVersion,
  id: ObjectId,
  version: number,
  number: number,
): void {
  const wanted = former.version + 1;
  if (version === wanted) return;
  const rule =
    former.version === 0
      ? `1, because no earlier line and no version in the store has the object ${shown(id)}`
      : `${wanted}, the next version of object ${shown(id)}`;
  throw beyond(number, "version", version, rule);
}

/** The versions that a file would add to objects that the store already has. */
export interface Merge {
  readonly objects: number;
  readonly versions: number;
  /** The names of the first objects. */
  readonly names: readonly string[];
}

/** Returns the error for a merge that nobody asked for. */
export function mergeRefused({ objects, versions, names }: Merge): ImportError {
  const others = objects > names.length ? ", …" : "";
  return new ImportError(
    "IMPORT_MERGES",
    `the file adds ${versions} ${versions === 1 ? "version" : "versions"} to ${objects} ${objects === 1 ? "object" : "objects"} that the store already has: ${names.join(", ")}${others}. ` +
      "Nothing was imported. If you want this, import the file with --merge; an interrupted import is completed in the same way",
  );
}

/** Returns the error for an export that begins after a transaction, if the store lacks a version before it. */
export function lacksEarlier(
  since: number,
  { body, version }: StoredVersion,
  number: number,
): ImportError {
  return new ImportError(
    "IMPORT_INCOMPLETE",
    `line ${number}: the export begins after transaction ${since}, and the store has no version of object ${shown(body.id)} before ${version}; ` +
      "import the earlier export of the same store first",
  );
}

/** Returns an error for a line that cannot be read. */
export function malformed(number: number, what: string, options?: ErrorOptions): ImportError {
  return new ImportError(
    "IMPORT_MALFORMED",
    `line ${number} ${what}; correct the line, or export again`,
    options,
  );
}

function beyond(number: number, field: string, value: unknown, rule: string): ImportError {
  return malformed(number, `has ${shown(value)} as ${field}; it must be ${rule}`);
}

function checkFields(object: JsonObject, number: number, known: readonly string[]): void {
  const unknown = Object.keys(object).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    const rule = `only the fields ${known.join(", ")} are known here`;
    throw malformed(number, `has the unknown field ${shown(unknown)}; ${rule}`);
  }
}

/** Returns a value from a file as JSON, cut and safe for a terminal. */
export function shown(value: unknown): string {
  const text = typeof value === "string" ? value.slice(0, shownLength + 1) : value;
  const json = JSON.stringify(text) ?? "nothing";
  const cut = json.length > shownLength ? `${json.slice(0, shownLength)}…` : json;
  return cut.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The greatest length of a value in an error, in UTF-16 units. */
const shownLength = 80;

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

function isNormalTime(text: string): boolean {
  const time = Date.parse(text);
  return isTransactionTime(time) && new Date(time).toISOString() === text;
}
