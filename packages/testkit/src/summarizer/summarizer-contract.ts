// The tests are data here, and the scenarios contain the assertions.
/* oxlint-disable vitest/expect-expect, vitest/valid-title */
import { describe, it } from "vitest";

import { type OpenSummarizer, type SummarizerLaw, summarizerLaws } from "./laws.ts";

export interface SummarizerContract {
  readonly name: string;
  readonly open: OpenSummarizer;
}

/** Registers one test for each law of `Summarizer`, named by the law's key. */
export function summarizerContract({ name, open }: SummarizerContract): void {
  describe(`summarizer ${name}`, () => {
    for (const law of Object.keys(summarizerLaws) as SummarizerLaw[])
      it(law, async () => await summarizerLaws[law](open));
  });
}
