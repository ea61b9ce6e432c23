import type { VersionSelector } from "@self-context-manager/core";

import { UsageError } from "./cli-errors.ts";

/** A version, given by a selector of the store or by the beginning of one of its hashes. */
export type GivenVersion =
  | Exclude<VersionSelector, { readonly contentHash: string }>
  | { readonly hashStart: string };

/** Parses a version from the command line. Throws `UsageError`. */
export function givenVersion(given: string): GivenVersion {
  // Eight or more digits without a v are the beginning of a hash that contains no letter.
  const number = /^(?:v?(\d{1,7})|v(\d{8,15}))$/u.exec(given)?.slice(1).find(Boolean);
  if (number !== undefined) return { version: Number(number) };
  const transaction = /^tx:(\d{1,15})$/u.exec(given)?.[1];
  if (transaction !== undefined) return { txId: Number(transaction) };
  const hash = /^(?:sha256:)?([\da-f]{8,64})$/u.exec(given)?.[1];
  if (hash !== undefined) return { hashStart: hash };
  const time = utcTime(given);
  if (time !== undefined) return { txTime: time };
  throw new UsageError(
    `--as-of is ${JSON.stringify(given)}; it must be a version's number, tx:NUMBER, a time such as 2026-01-31T09:00:00Z, or at least the first 8 hex digits of a hash`,
  );
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
