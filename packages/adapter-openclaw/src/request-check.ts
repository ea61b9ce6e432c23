import type { SwapOutcome } from "./text-swaps.ts";

/** Finds out whether the texts of views reach the provider. */
export interface RequestCheck {
  /** Returns why a request was not as its view; undefined if it was, or if nothing was to be replaced. */
  problem(sent: SentRequest): string | undefined;
}

interface SentRequest {
  /** The run to which the request belongs. Another run can have other tools. */
  readonly run: string;
  readonly outcome: SwapOutcome;
  /** Bytes of the request, as the host counts them; undefined if it does not tell. */
  readonly bytes: number | undefined;
}

/** Bytes by which what the host adds can grow from one request of a run to the next. */
const allowance = 16_384;

export function requestCheck(): RequestCheck {
  /** Bytes of what the host added to the texts of the last request: system prompt, tools, and the form of messages. */
  let added: number | undefined;
  let last: string | undefined;
  return {
    problem({ run, outcome: { isSeen, missed, texts }, bytes }) {
      if (run !== last) added = undefined;
      last = run;
      if (!isSeen) return "the host did not pass the texts of the request";
      if (missed > 0) return `texts of the view were not in the request (${missed})`;
      if (bytes === undefined || texts === undefined) return undefined;
      const more = bytes - texts - (added ?? bytes - texts);
      if (more > allowance) return `the request has ${more} bytes more than its view`;
      added = bytes - texts;
      return undefined;
    },
  };
}
