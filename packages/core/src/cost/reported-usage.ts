import type { ReportedUsage } from "../chat/message.ts";

/**
 * Returns a usage that a codec passed, with 0 for every count that is not a positive number. Returns undefined if it
 * reports nothing about the prompt.
 */
export function soundUsage(usage: ReportedUsage): ReportedUsage | undefined {
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

/** A codec can pass any value of its host instead of a number. */
function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
