import { checkLimit } from "@self-context-manager/objects";

import { UsageError } from "./cli-errors.ts";
import type { CommandCall } from "./command.ts";

/** The value of an option that is a whole number above 0. Throws `UsageError`. */
export function wholeNumber(
  call: Pick<CommandCall, "text">,
  option: string,
  usual: number,
): number {
  const given = call.text(option);
  if (given === undefined) return usual;
  try {
    return checkLimit(Number(given));
  } catch (cause) {
    throw new UsageError(
      `--${option} is ${JSON.stringify(given)}; it must be a whole number above 0`,
      { cause },
    );
  }
}
