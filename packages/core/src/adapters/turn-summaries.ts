import { messageOf } from "@self-context-manager/objects";
import type { HostClock } from "../host/host-clock.ts";
import type { Summarizer, SummaryAnswer } from "../host/summarizer.ts";
import type { SummaryOutcome, TurnToSummarize } from "../session/summarize-turn.ts";
import type { GuardedSession } from "./guarded-session.ts";

/** A model that writes summaries of finished turns (decision D73). */
export interface SummaryOptions {
  readonly summarizer: Summarizer;
  /** Whether long results of calls get a line as well, in the same request. Default: false. */
  readonly results?: boolean;
  /** Milliseconds after which a request counts as failed, if the connection has a clock. Default: 60,000. */
  readonly patience?: number;
}

/** Has finished turns summarized, one after another, between the calls of the session. */
export interface TurnSummaries {
  /** Why the last request brought no summary; undefined if it brought one, or if there was none. */
  readonly failure: string | undefined;
  /** Looks for turns without a summary. It returns at once, and never throws. */
  soon(): void;
  /** Ends the request that waits for its answer. */
  end(): void;
}

const usualPatience = 60_000;

/** Returns why an answer brought no summary. `outcome` is undefined if the store failed. */
function failureOf(outcome: SummaryOutcome | undefined): string | undefined {
  if (outcome === undefined) return "the summary could not be stored";
  return outcome === "not-usable" ? "the answer is not what was asked for" : undefined;
}

/** Without options, no model is asked. */
export function turnSummaries(
  guard: Pick<GuardedSession, "attempt">,
  options: SummaryOptions | undefined,
  clock: HostClock | undefined,
): TurnSummaries {
  const tried = new Set<string>();
  let failure: string | undefined;
  let running: AbortController | undefined;
  let isEnded = false;

  /** Returns the answer, or undefined after a failure: then the turn is shown without a summary. */
  async function asked(
    { summarizer, patience = usualPatience }: SummaryOptions,
    { instruction, text, maxTokens }: TurnToSummarize,
    { signal }: AbortController,
  ): Promise<SummaryAnswer | undefined> {
    const limit = new AbortController();
    const late = clock?.wait(patience).then(() => {
      limit.abort();
      throw new Error(`the model did not answer within ${patience / 1000} s`);
    });
    // It ends later than the answer, when nobody waits for it.
    late?.catch(() => undefined);
    const both = AbortSignal.any([signal, limit.signal]);
    try {
      const answer = summarizer.summarize({ instruction, text, maxTokens, signal: both });
      return await (late === undefined ? answer : Promise.race([answer, late]));
    } catch (error) {
      failure = messageOf(error);
      return undefined;
    }
  }

  async function run(given: SummaryOptions, ending: AbortController): Promise<void> {
    for (;;) {
      const next = await guard.attempt(
        async (session) =>
          await session.turnToSummarize({ without: tried, results: given.results === true }),
        "waits",
      );
      if (next === undefined || ending.signal.aborted) return;
      // Each turn is tried once. A process that resumes the session tries again.
      tried.add(next.key);
      const answer = await asked(given, next, ending);
      if (ending.signal.aborted) return;
      if (answer === undefined) continue;
      const outcome = await guard.attempt(
        async (session) => await session.addSummary(next, answer),
        "waits",
      );
      failure = failureOf(outcome);
    }
  }

  return {
    get failure() {
      return failure;
    },
    soon() {
      if (options === undefined || running !== undefined || isEnded) return;
      const ending = new AbortController();
      running = ending;
      // Nothing waits for a summary, and a failure costs only the summary.
      void run(options, ending)
        .catch((error: unknown) => (failure = messageOf(error)))
        .finally(() => (running = undefined));
    },
    end() {
      isEnded = true;
      running?.abort();
    },
  };
}
