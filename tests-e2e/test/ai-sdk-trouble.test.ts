// The tests are data here, and the scenarios contain the assertions.
/* oxlint-disable vitest/expect-expect, vitest/valid-title */
import { describe, expect, test } from "vitest";

import type { OddSides } from "../src/odd/odd-scenario.ts";
import { oddScenarios } from "../src/odd/odd-scenarios.ts";
import { oddChecks } from "../src/odd/odd-tests.ts";
import { sdkOddSide } from "../src/odd/sdk-odd-side.ts";
import { sdkShortCost } from "../src/short/sdk-short-cost.ts";
import { mostOfPlain } from "../src/short/short-session.ts";

for (const scenario of oddScenarios) {
  let played: Promise<OddSides> | undefined;
  const sides = async (): Promise<OddSides> => ({
    plain: await sdkOddSide(scenario, false),
    managed: await sdkOddSide(scenario, true),
  });

  describe(`${scenario.name}, in an app on the AI SDK`, () => {
    for (const [check, assert] of Object.entries(oddChecks(scenario)))
      test(check, async () => assert(await (played ??= sides())));
  });
}

describe("a session of 20 calls with small outputs, in an app on the AI SDK", () => {
  test("costs at most 8 % more than without managed context", async () => {
    const plain = await sdkShortCost(false);
    const managed = await sdkShortCost(true);

    expect([...plain.problems, ...managed.problems]).toEqual([]);
    expect([plain.calls, managed.calls]).toEqual([20, 20]);
    expect(managed.units).toBeLessThanOrEqual(plain.units * mostOfPlain);
  });
});
