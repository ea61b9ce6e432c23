import type { ReportedUsage } from "../chat/message.ts";

/**
 * Returns a usage with 0 for every count that is not a positive number: a codec can pass any value of its host. Returns
 * undefined if it reports nothing about the prompt.
 */
export function soundUsage(
  usage: Readonly<Record<keyof ReportedUsage, unknown>>,
): ReportedUsage | undefined {
  const sound = {
    input: count(usage.input),
    cacheRead: count(usage.cacheRead),
    cacheWrite: count(usage.cacheWrite),
  };
  return promptOf(sound) > 0 ? sound : undefined;
}

/** Returns the tokens of the whole prompt of a call. */
export function promptOf(usage: ReportedUsage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
