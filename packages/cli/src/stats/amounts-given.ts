import { UsageError } from "../cli-errors.ts";
import type { CommandCall } from "../command.ts";

const hour = 3_600_000;

const ages: Readonly<Record<string, number>> = {
  h: hour,
  d: 24 * hour,
  w: 7 * 24 * hour,
  y: 365 * 24 * hour,
};

const sizes: Readonly<Record<string, number>> = { "": 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/** The value of an option that is an age, in milliseconds; undefined if it was not given. Throws `UsageError`. */
export function readAge(call: Pick<CommandCall, "text">, option: string): number | undefined {
  return read(call, option, /^(\d+(?:\.\d+)?) ?([hdwy])$/iu, ages, "12h, 90d, 8w or 1y");
}

/**
 * The value of an option that is a size, in bytes; undefined if it was not given. The letters are those with which sizes
 * are printed: 1k is 1,000. Throws `UsageError`.
 */
export function readSize(call: Pick<CommandCall, "text">, option: string): number | undefined {
  return read(call, option, /^(\d+(?:\.\d+)?) ?([kmgt]?)b?$/iu, sizes, "500k, 50M or 2G");
}

function read(
  call: Pick<CommandCall, "text">,
  option: string,
  pattern: RegExp,
  units: Readonly<Record<string, number>>,
  examples: string,
): number | undefined {
  const given = call.text(option);
  if (given === undefined) return undefined;
  const [, count, unit = ""] = pattern.exec(given.trim()) ?? [];
  const factor = units[unit.toLowerCase()];
  if (count === undefined || factor === undefined)
    throw new UsageError(
      `--${option} is ${JSON.stringify(given)}; it must be a number with a unit, such as ${examples}`,
    );
  return Number(count) * factor;
}
