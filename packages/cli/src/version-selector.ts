import type { VersionSelector } from "@self-context-manager/core";

import { UsageError } from "./cli-errors.ts";

/** A version by what the store knows, or by the beginning of one of its hashes. */
export type GivenVersion =
  | Exclude<VersionSelector, { readonly contentHash: string }>
  | { readonly hashStart: string };

/** Reads what stands for a version on the command line. Throws `UsageError`. */
export function givenVersion(given: string): GivenVersion {
  // From 8 digits on it is the beginning of a hash that happens to have no letter, unless a v stands before it.
  const number = /^(?:v?(\d{1,7})|v(\d{8,15}))$/u.exec(given)?.slice(1).find(Boolean);
  if (number !== undefined) return { version: Number(number) };
  const transaction = /^tx:(\d{1,15})$/u.exec(given)?.[1];
  if (transaction !== undefined) return { txId: Number(transaction) };
  const hash = /^(?:sha256:)?([\da-f]{8,64})$/u.exec(given)?.[1];
  if (hash !== undefined) return { hashStart: hash };
  const time = utcTime(given);
  if (time !== undefined) return { txTime: time };
  throw new UsageError(
    `--as-of is ${JSON.stringify(given)}; it must be a version's number, tx:NUMBER, a time such as 2026-01-31T09:00:00Z, or 8 or more hex digits that a hash begins with`,
  );
}

const endOfDay = "23:59:59.999";

/**
 * Times are told in UTC, so one without a zone is taken for UTC too, not for that of whoever asks. They are told in
 * seconds, so one in seconds means the end of that second, and likewise for a minute and a day.
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
