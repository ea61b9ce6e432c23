import { type WrittenVersion, writtenVersion } from "@self-context-manager/objects";

import { UsageError } from "./cli-errors.ts";

/** Parses the value of `--as-of`. Throws `UsageError`. */
export function givenVersion(given: string): WrittenVersion {
  const version = writtenVersion(given);
  if (version !== undefined) return version;
  throw new UsageError(
    `--as-of is ${JSON.stringify(given)}; it must be a version's number, tx:NUMBER, a time such as 2026-01-31T09:00:00Z, or at least the first 8 hex digits of a hash`,
  );
}
