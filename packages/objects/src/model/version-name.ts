/** A version as people and models write it: its number, its transaction, a time, or the beginning of a hash. */
export type WrittenVersion =
  | { readonly version: number }
  | { readonly txId: number }
  | { readonly txTime: string }
  | { readonly hashStart: string };

/**
 * Reads a version: `3` or `v3`, `tx:12`, a time such as `2026-01-31T09:00:00Z` or a part of one, or at least 8
 * hexadecimal digits of a hash. Undefined for any other text.
 */
export function writtenVersion(given: string): WrittenVersion | undefined {
  // Eight or more digits without a v are the beginning of a hash that contains no letter.
  const number = /^(?:v?(\d{1,7})|v(\d{8,15}))$/u.exec(given)?.slice(1).find(Boolean);
  if (number !== undefined) return { version: Number(number) };
  const transaction = /^tx:(\d{1,15})$/u.exec(given)?.[1];
  if (transaction !== undefined) return { txId: Number(transaction) };
  const hash = /^(?:sha256:)?([\da-f]{8,64})$/u.exec(given)?.[1];
  if (hash !== undefined) return { hashStart: hash };
  const time = utcTime(given);
  return time === undefined ? undefined : { txTime: time };
}

/** A name with the version behind its last `@`, such as `f1@3` or `plan.md@2026-11-22T10:00Z`. */
export interface VersionedName {
  readonly name: string;
  readonly version: WrittenVersion;
  /** The version as it was written. */
  readonly text: string;
}

/**
 * Separates a name from its version. Undefined if there is none. A path can have an `@` of its own, so a caller looks for
 * the whole text as a name first.
 */
export function versionedName(given: string): VersionedName | undefined {
  const at = given.lastIndexOf("@");
  if (at < 1) return undefined;
  const text = given.slice(at + 1);
  const version = writtenVersion(text);
  return version === undefined ? undefined : { name: given.slice(0, at), version, text };
}

const endOfDay = "23:59:59.999";

/**
 * Times are printed in UTC, so a time without a zone is UTC and not the user's local time. Times are printed in
 * seconds, so a time in seconds means the end of that second; likewise for a minute and a day.
 */
function utcTime(given: string): string | undefined {
  const parts =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/u.exec(
      given,
    );
  if (parts === null) return undefined;
  const [, day = "", clock = "", zone = "Z"] = parts;
  const time = `${clock}${endOfDay.slice(clock.length)}`;
  const milliseconds = Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}
