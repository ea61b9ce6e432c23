import type { SessionTimeline, TimelineCall } from "@self-context-manager/core/inspect";

type Usage = NonNullable<TimelineCall["usage"]>;

/** The tokens of a prompt as the provider reported them. */
export function reportedTokens({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite;
}

/** Sums of the provider's usage over the calls that have it, and our estimate for the same calls. */
export interface UsageSums {
  readonly calls: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Our estimate for the same calls, calibrated. */
  readonly estimated: number;
}

/** Adds up the provider's usage, and the estimates of the same calls by their index. */
export function usageSums(
  { calls }: Pick<SessionTimeline, "calls">,
  estimates: ArrayLike<number>,
): UsageSums {
  let [count, input, cacheRead, cacheWrite, estimated] = [0, 0, 0, 0, 0];
  for (const [index, { usage, problem }] of calls.entries()) {
    if (usage === undefined || problem !== undefined) continue;
    count++;
    input += usage.input;
    cacheRead += usage.cacheRead;
    cacheWrite += usage.cacheWrite;
    estimated += estimates[index] ?? 0;
  }
  return { calls: count, input, cacheRead, cacheWrite, estimated };
}

/** The cached tokens of a call: as reported, or else as estimated. */
export function cachedTokens(call: TimelineCall): {
  readonly tokens: number;
  readonly isReported: boolean;
} {
  if (call.usage !== undefined) return { tokens: call.usage.cacheRead, isReported: true };
  return { tokens: call.cost?.cached ?? 0, isReported: false };
}
