// The tests are data here. The subject decides which tests exist, and the scenarios contain the assertions.
/* oxlint-disable vitest/no-conditional-tests, vitest/expect-expect, vitest/no-disabled-tests, vitest/valid-title */
import assert from "node:assert/strict";
import { describe, it } from "vitest";

import { allMessages } from "./codec-messages.ts";
import type { CodecSubject } from "./codec-subject.ts";
import { jsonFaults } from "./form-faults.ts";
import { type CodecLaw, codecLawNeeds, codecLaws } from "./laws.ts";

export interface CodecContract<Raw> extends CodecSubject<Raw> {
  readonly name: string;
}

/** The laws copy messages and compare the copies, which instances of classes do not survive. */
export function checkPlain<Raw>(subject: CodecSubject<Raw>): void {
  for (const message of allMessages(subject)) {
    const faults = jsonFaults(message);
    assert.deepEqual(
      faults,
      [],
      "a sample, or a message that `encode` returns, is no plain data: let the codec read plain data, and give the contract copies of that form",
    );
  }
}

/** Registers one test for each law of `MessageCodec`, named by the law's key. */
export function codecContract<Raw>({ name, ...subject }: CodecContract<Raw>): void {
  describe(`codec ${name}`, () => {
    it("has messages that are plain data", () => {
      checkPlain(subject);
    });
    for (const law of Object.keys(codecLaws) as CodecLaw[]) {
      const need = codecLawNeeds[law];
      if (need !== undefined && subject[need] === undefined)
        it.skip(`${law} (declared: no ${need})`, () => undefined);
      else it(law, () => codecLaws[law](subject));
    }
  });
}
