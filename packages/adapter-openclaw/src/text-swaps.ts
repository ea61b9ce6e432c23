import { beginsWith, leftOfCut } from "./cut-texts.ts";
import type { TextSwap } from "./turn-view.ts";

/** Puts the texts of views into requests, which pass through a text transform one text at a time. */
export interface TextSwaps {
  /** The next requests of a run have these texts, in this order. */
  expect(run: string, swaps: readonly TextSwap[]): void;
  /** Returns the text to send. `run`: the run to which the request belongs; undefined if the host does not tell. */
  replace(text: string, run: string | undefined): string;
  /** What happened to the texts of a run since `expect`; undefined if none were expected. */
  outcome(run: string): SwapOutcome | undefined;
  /** The run has ended. */
  forget(run: string): void;
}

export interface SwapOutcome {
  /** Whether texts of a request of the run have passed. They can be others than the expected ones. */
  readonly isSeen: boolean;
  /** The number of texts that should have been replaced in the last request and did not pass. */
  readonly missed: number;
  /** Whether all expected texts of the last request have passed, also those that stay the same. */
  readonly isComplete: boolean;
  /** Bytes of all texts as JSON, as they were sent. */
  readonly texts?: number;
}

interface Plan {
  readonly swaps: readonly TextSwap[];
  /** The index behind the last text that has passed in this request. */
  at: number;
  isSeen: boolean;
  passed: number;
  replaced: number;
}

/** The text that passed last, to recognise that a transform is applied twice. */
interface LastText {
  readonly run: string;
  readonly from: string;
  readonly to: string;
}

export function textSwaps(): TextSwaps {
  const plans = new Map<string, Plan>();
  /** The run of the request that passes now; undefined if it belongs to no run or to several. */
  let current: { readonly run: string | undefined } | undefined;
  let last: LastText | undefined;

  /** A request passes in one go. The next one begins with the first text again. */
  function begin(run: string | undefined): void {
    current = { run };
    last = undefined;
    const plan = run === undefined ? undefined : plans.get(run);
    if (plan !== undefined) Object.assign(plan, { at: 0, passed: 0, replaced: 0 });
    queueMicrotask(() => (current = undefined));
  }

  /** Finds the run of a request by its first text. Of several runs with the same text it could be any. */
  function runOf(text: string): string | undefined {
    const found = [...plans].filter(
      ([
        ,
        {
          swaps: [first],
        },
      ]) => first !== undefined && sentFor(text, undefined, first) !== undefined,
    );
    return found.length === 1 ? found[0]?.[0] : undefined;
  }

  return {
    expect: (run, swaps) =>
      void plans.set(run, { swaps, at: 0, isSeen: false, passed: 0, replaced: 0 }),
    replace(text, run) {
      if (current === undefined || (run !== undefined && current.run !== run))
        begin(run ?? runOf(text));
      const now = current?.run;
      const plan = now === undefined ? undefined : plans.get(now);
      if (now === undefined || plan === undefined) {
        // Without the name of its run, a request with other texts than expected can be of any.
        if (run === undefined) for (const one of plans.values()) one.isSeen = true;
        return text;
      }
      plan.isSeen = true;
      const { swaps, at } = plan;
      // A text that is not expected is compared with all texts, so this is found out once.
      const left = leftOfCut(text);
      const next = swaps[at];
      const isNext = next !== undefined && sentFor(text, left, next) !== undefined;
      if (!isNext && last?.run === now && last.to === text && last.from !== text) return text;
      const found = isNext
        ? at
        : swaps.findIndex((swap, index) => index > at && sentFor(text, left, swap) !== undefined);
      const swap = swaps[found];
      const to = swap === undefined ? undefined : sentFor(text, left, swap);
      if (swap === undefined || to === undefined) return text;
      plan.at = found + 1;
      plan.passed += 1;
      if (swap.from !== swap.to) plan.replaced += 1;
      last = { run: now, from: text, to };
      return to;
    },
    outcome(run) {
      const plan = plans.get(run);
      if (plan === undefined) return undefined;
      const { isSeen, replaced } = plan;
      const isComplete = plan.passed === plan.swaps.length;
      const all = plan.swaps.filter(({ from, to }) => from !== to).length;
      const texts = plan.swaps.reduce((sum, { to }) => sum + jsonBytes(to), 0);
      return { isSeen, missed: all - replaced, isComplete, texts };
    },
    forget: (run) => void plans.delete(run),
  };
}

/**
 * Returns what is sent for a text that passes; undefined if it is not the expected one. OpenClaw writes the time before a text
 * of a user, and cuts results by limits of its own. The view has a budget already, so its results are sent whole. `left`: what
 * the host has left of a text that it cut.
 */
function sentFor(
  text: string,
  left: string | undefined,
  { from, to, role }: TextSwap,
): string | undefined {
  if (text === from) return to;
  if (role === "user") {
    const stamp = text.endsWith(from) ? text.slice(0, -from.length) : "";
    return /\s$/u.test(stamp) ? `${stamp}${to}` : undefined;
  }
  return left !== undefined && role === "toolResult" && beginsWith(from, left) ? to : undefined;
}

function jsonBytes(text: string): number {
  return new TextEncoder().encode(JSON.stringify(text)).length;
}
