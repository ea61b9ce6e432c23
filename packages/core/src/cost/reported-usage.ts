/**
 * Tokens of one call as the provider reported them. `input` counts the tokens that were neither read from the cache nor
 * written to it.
 */
export type ReportedUsage = {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};

/** Reads a host's usage record. Returns undefined if it reports nothing about the prompt. */
export function reportedUsage(usage: unknown): ReportedUsage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const fields = usage as Readonly<Record<string, unknown>>;
  const reported = {
    input: count(fields["input"]),
    cacheRead: count(fields["cacheRead"]),
    cacheWrite: count(fields["cacheWrite"]),
  };
  return promptOf(reported) > 0 ? reported : undefined;
}

/** Returns the tokens of the whole prompt of a call. */
export function promptOf(usage: ReportedUsage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
