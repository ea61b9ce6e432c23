import { cutMark } from "./message-texts.ts";
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
  /** Whether a request of the run was seen. */
  readonly isSeen: boolean;
  /** The number of texts that should have been replaced in the last request and did not pass. */
  readonly missed: number;
  /** Bytes of all texts as JSON, as they were sent. */
  readonly texts?: number;
}

interface Plan {
  readonly swaps: readonly TextSwap[];
  /** The index behind the last text that has passed in this request. */
  at: number;
  isSeen: boolean;
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
    if (plan !== undefined) Object.assign(plan, { at: 0, replaced: 0 });
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
      ]) => first !== undefined && fits(text, first),
    );
    return found.length === 1 ? found[0]?.[0] : undefined;
  }

  return {
    expect: (run, swaps) => void plans.set(run, { swaps, at: 0, isSeen: false, replaced: 0 }),
    replace(text, run) {
      const named = run !== undefined && plans.has(run) ? run : undefined;
      if (current === undefined || (named !== undefined && current.run !== named))
        begin(named ?? runOf(text));
      const now = current?.run;
      const plan = now === undefined ? undefined : plans.get(now);
      if (now === undefined || plan === undefined) return text;
      const { swaps, at } = plan;
      const next = swaps[at];
      const isNext = next !== undefined && fits(text, next);
      if (!isNext && last?.run === now && last.to === text && last.from !== text) return text;
      const found = isNext ? at : swaps.findIndex((swap, index) => index > at && fits(text, swap));
      const swap = swaps[found];
      if (swap === undefined) return text;
      plan.at = found + 1;
      plan.isSeen = true;
      if (swap.from !== swap.to) plan.replaced += 1;
      const stamp = swap.isStamped ? text.slice(0, text.length - swap.from.length) : "";
      const to = swap.from === swap.to ? text : `${stamp}${swap.to}`;
      last = { run: now, from: text, to };
      return to;
    },
    outcome(run) {
      const plan = plans.get(run);
      if (plan === undefined) return undefined;
      const { isSeen, replaced } = plan;
      const all = plan.swaps.filter(({ from, to }) => from !== to).length;
      const texts = plan.swaps.reduce((sum, { to }) => sum + jsonBytes(to), 0);
      return { isSeen, missed: all - replaced, texts };
    },
    forget: (run) => void plans.delete(run),
  };
}

/**
 * Whether a text is the expected one, with what the host writes before it. A long result has a mark at its end that says how
 * much was cut off, and the transcript has another number there than the request.
 */
function fits(text: string, { from, isStamped }: TextSwap): boolean {
  if (text === from) return true;
  if (isStamped) return text.endsWith(from) && /\s$/u.test(text.slice(0, -from.length));
  if (Math.abs(text.length - from.length) > marginOfCut || !cutMark.test(from)) return false;
  const [left, right] = [text.replace(cutMark, ""), from.replace(cutMark, "")];
  return cutMark.test(text) && (left.startsWith(right) || right.startsWith(left));
}

/** Characters by which the lengths of two marks can differ. */
const marginOfCut = 16;

function jsonBytes(text: string): number {
  return new TextEncoder().encode(JSON.stringify(text)).length;
}
