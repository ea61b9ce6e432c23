import type { SessionAnswer } from "../../src/answers.ts";

/**
 * Adds the calls of a later answer to an earlier one. Calls that both have are taken from the later one, because the usage
 * of a call is known only after its answer.
 */
export function appendCalls(earlier: SessionAnswer, later: SessionAnswer): SessionAnswer {
  const [first] = later.timeline.calls;
  if (first === undefined)
    return { ...later, timeline: { ...later.timeline, calls: earlier.timeline.calls } };
  const kept = earlier.timeline.calls.filter(({ call }) => call < first.call);
  return { ...later, timeline: { ...later.timeline, calls: [...kept, ...later.timeline.calls] } };
}

/** The call after which news are asked for: the last one is asked again, because its usage may have come. */
export function lastSettled({ timeline: { calls } }: SessionAnswer): number {
  return calls.at(-2)?.call ?? 0;
}
