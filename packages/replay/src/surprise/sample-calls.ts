import type { RecordedSession } from "../read/recorded-session.ts";
import { seededRandom, shuffled } from "./seeded-random.ts";
import { type SessionCalls, sessionCalls, type SurpriseCall } from "./session-calls.ts";
import type { SurpriseView } from "./surprise-views.ts";

export interface SampleOptions {
  readonly views: readonly SurpriseView[];
  /** The sizes of the plain views of interest, in tokens as the replay counts them. */
  readonly least: number;
  readonly most: number;
  /** The fewest tokens of the plain view that the first view must lack. */
  readonly leastLeft: number;
  readonly seed: number;
}

/** The calls that were looked at, and why some are not in the sample. */
export interface SampleCounts {
  readonly sessions: number;
  readonly total: number;
  readonly tooLong: number;
  /** Calls in which too little left the first view. */
  readonly tooLittleLeft: number;
}

/** Calls in the order in which they are measured. */
export interface CallSample {
  readonly calls: readonly SurpriseCall[];
  readonly counts: SampleCounts;
}

/**
 * All calls that can be measured, in an order by the seed: first one call of each session, then a second one, and so on. So
 * every beginning of the order has calls of as many sessions as possible, and a longer run has the calls of a shorter one.
 */
export async function sampleCalls(
  sessions: AsyncIterable<RecordedSession>,
  { leastLeft, seed, ...options }: SampleOptions,
): Promise<CallSample> {
  const [main] = options.views;
  const counts = { sessions: 0, total: 0, tooLong: 0, tooLittleLeft: 0 };
  const found: (readonly SurpriseCall[])[] = [];
  for await (const session of sessions) {
    const { calls, total, tooLong, unchanged }: SessionCalls = await sessionCalls(session, options);
    const lacking = calls.filter(({ views }) => {
      const left = main === undefined ? undefined : views.get(main)?.left;
      return left !== undefined && left >= leastLeft;
    });
    counts.sessions += 1;
    counts.total += total;
    counts.tooLong += tooLong;
    counts.tooLittleLeft += unchanged + calls.length - lacking.length;
    if (lacking.length > 0) found.push(lacking);
  }
  return { calls: inRounds(found, seed), counts };
}

function inRounds(
  sessions: readonly (readonly SurpriseCall[])[],
  seed: number,
): readonly SurpriseCall[] {
  const random = seededRandom(seed);
  const queues = shuffled(sessions, random).map((calls) => shuffled(calls, random));
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, round) =>
    queues.flatMap((queue) => queue[round] ?? []),
  ).flat();
}
