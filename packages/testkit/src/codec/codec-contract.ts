// The tests are data here. The subject decides which tests exist, and the scenarios contain the assertions.
/* oxlint-disable vitest/no-conditional-tests, vitest/expect-expect, vitest/no-disabled-tests, vitest/valid-title */
import { describe, it } from "vitest";

import type { CodecSubject } from "./codec-subject.ts";
import { type CodecLaw, codecLawNeeds, codecLaws } from "./laws.ts";

export interface CodecContract<Raw> extends CodecSubject<Raw> {
  readonly name: string;
}

/** Registers one test for each law of `MessageCodec`, named by the law's key. */
export function codecContract<Raw>({ name, ...subject }: CodecContract<Raw>): void {
  describe(`codec ${name}`, () => {
    for (const law of Object.keys(codecLaws) as CodecLaw[]) {
      const need = codecLawNeeds[law];
      if (need !== undefined && subject[need] === undefined)
        it.skip(`${law} (declared: no ${need})`, () => undefined);
      else it(law, () => codecLaws[law](subject));
    }
  });
}
