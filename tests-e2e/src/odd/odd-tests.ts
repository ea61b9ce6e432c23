// The tests are data here, and the checks contain the assertions.
/* oxlint-disable vitest/no-standalone-expect */
import { expect } from "vitest";

import type { OddRequest, OddScenario, OddSides } from "./odd-scenario.ts";

/** The checks that a scenario has on every host, by a sentence each. */
export function oddChecks({
  notices = [],
}: OddScenario): Readonly<Record<string, (sides: OddSides) => void>> {
  return {
    "gets the words and results that the plain host sends, in the same order, with legal requests":
      ({ plain, managed }) => {
        expect(plain.problems).toEqual([]);
        expect(managed.problems).toEqual([]);
        expect(managed.requests.map(wordsIn)).toEqual(plain.requests.map(wordsIn));
        expect(wordsIn(plain.requests.at(-1))).not.toEqual([]);
        expect(managed.requests.map(({ results }) => results)).toEqual(
          plain.requests.map(({ results }) => results),
        );
      },
    "interrupts no call": ({ managed }) =>
      expect(managed.requests.flatMap(({ texts }) => texts).join("\n")).not.toContain(
        "was interrupted",
      ),
    "notifies the user of what is not shown as it was, once": ({ managed }) =>
      expect(managed.notices).toEqual(notices.map((text) => expect.stringContaining(text))),
  };
}

function wordsIn(request: OddRequest | undefined): readonly string[] {
  return (request?.texts ?? []).flatMap((text) => text.match(/the words of \w+/gu) ?? []);
}
