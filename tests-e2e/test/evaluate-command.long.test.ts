import { describe, expect, test } from "vitest";

import { brokenReport, undisturbedReport } from "../src/evaluate/broken-evaluation.ts";
import { everyPiVersion } from "../src/pi-versions.ts";

describe.each(everyPiVersion)("scm evaluate with Pi $version", (pi) => {
  test("has the same report wherever it was killed", async () => {
    const whole = await undisturbedReport(pi);

    for (const at of [0, 1, 2, 3, 4, 5]) {
      const { report, calls, ledger, processes } = await brokenReport(pi, at);
      expect(report, `killed at request ${at}`).toEqual(whole);
      expect(ledger).toBe(calls);
      expect(processes).toEqual([]);
    }
  });
});
