// The tests are data here, and the scenarios contain the assertions.
/* oxlint-disable vitest/expect-expect, vitest/valid-title */
import { runsEveryForm } from "@self-context-manager/store-contract";
import { describe, expect, test } from "vitest";

import { placesOf } from "./matrix.ts";
import { play } from "./play.ts";
import type { Scenario, Sides } from "./scenario.ts";
import { describeSides, sizeReport, slack } from "./size-report.ts";

const played = new Map<string, Promise<Sides>>();

/** For a person who wants to see the sizes of a passing run: `TROUBLE_TABLES=1`. */
const printsTables = process.env["TROUBLE_TABLES"] === "1";

const playsOtherForms = runsEveryForm("adapter-pi");

/** The names of the checks that every scenario has. */
const runs = "runs to its end in plain Pi";
const runsWithUs = "runs to its end with the extension, with legal requests";
const sizes = `sends at most ${slack.share * 100} % and ${slack.tokens} tokens more than plain Pi`;

/**
 * Declares the tests of scenarios. Each scenario is played once in plain Pi and once with the extension, and each of its
 * checks is a test.
 */
export function troubleTests(scenarios: readonly Scenario[]): void {
  for (const [position, scenario] of scenarios.entries()) {
    if (scenario.isOtherForm === true && !playsOtherForms) continue;
    for (const place of placesOf(position, scenario.releases)) {
      const name = `${scenario.name}, on Pi ${place.pi.version} with ${place.api}`;
      const sides = async (): Promise<Sides> => {
        const known = played.get(name) ?? playBoth();
        played.set(name, known);
        return await known;
      };
      const playBoth = async (): Promise<Sides> => {
        const plain = await play(scenario, { ...place, isManaged: false });
        const managed = await play(scenario, { ...place, isManaged: true });
        if (printsTables) console.log(`${name}\n${describeSides({ plain, managed })}`);
        return { plain, managed };
      };
      const checks: Scenario["checks"] = {
        [runs]: ({ plain }) => expect(plain.problems).toEqual([]),
        [runsWithUs]: ({ plain, managed }) => {
          expect(managed.problems).toEqual([]);
          expect(managed.steps).toHaveLength(plain.steps.length);
        },
        ...(scenario.incomparable === undefined ? { [sizes]: checkSizes } : {}),
        ...scenario.checks,
      };

      describe(name, () => {
        for (const [check, assert] of Object.entries(checks))
          test(check, async () => assert(await sides()));
      });
    }
  }
}

function checkSizes(sides: Sides): void {
  const { tooLarge, table } = sizeReport(sides);
  expect(tooLarge, `requests that are too large:\n${table}`).toEqual([]);
}
