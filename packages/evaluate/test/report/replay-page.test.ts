import { describe, expect, test } from "vitest";

import type { EvaluateError } from "../../src/model/evaluate-error.ts";
import { replayPage } from "../../src/report/replay-page.ts";
import { pageProblems } from "./page-problems.ts";

const misses = {
  evidenceMiss: 0.21,
  evidenceMissPlus: 0.22,
  sharpMiss: 0.15,
  sharpMissPlus: 0.16,
  gramMiss: 0.1,
  talkMiss: 0.05,
  talkSharpMiss: 0,
};

function strategy(costRatio: number): Readonly<Record<string, unknown>> {
  return {
    costRatio,
    chargedCostRatio: costRatio + 0.1,
    chargedByRangeRatio: costRatio + 0.05,
    chargedWithTalkRatio: costRatio + 0.2,
    ...misses,
    counted: {
      ...Object.fromEntries(Object.keys(misses).map((name) => [name, 1234])),
      talkSharpMiss: 0,
    },
    prefixHit: 0.95,
    meanTokens: 30_000.4,
    peakTokens: 70_000,
    epochs: 3.1,
    median: costRatio,
    worst: costRatio > 2 ? null : { session: "s", costRatio: costRatio * 1.5 },
  };
}

const strategies = { "append-only": strategy(1), epoch: strategy(0.4), pooled: strategy(2.8) };

const replay = {
  corpus: { sessions: 57, segments: 81, calls: 7162, tokens: 8_147_481 },
  profiles: { A: strategies, B: { epoch: strategy(0.5) } },
  time: { p50: 5.9, p95: 10.5, max: 120 },
  store: { kind: "sqlite", bytes: 10, transcriptBytes: 9, ratio: 1.11 },
};

describe("the page of a replay", () => {
  test("is well formed, loads nothing and has tables with heads", () => {
    expect(pageProblems(replayPage(replay))).toEqual([]);
  });

  test("shows each strategy with its cost and what it missed, and how many messages that is of", () => {
    const page = replayPage(replay);

    expect(page).toMatch(/<th scope="row">\s*epoch\s*<\/th>\s*<td class="number">0\.400<\/td>/u);
    expect(page).toContain("21.0 %<small>of 1,234</small>");
    expect(page).toContain("pooled → 2.8");
    expect(page).toContain("There are no intervals");
  });

  test("never makes markup of names", () => {
    const bad = "<img src=x onerror=alert(1)>";

    const page = replayPage({ ...replay, profiles: { [bad]: { [bad]: strategy(1) } } });

    expect(pageProblems(page)).toEqual([]);
    expect(page).toContain("&lt;img src=x");
  });

  test.each([
    ["a list", [], "the file is a list, not an object"],
    ["nothing", undefined, "the file is missing, not an object"],
    ["another object", { format: "scm-evaluation" }, "corpus is missing, not an object"],
    [
      "a number that is too large",
      { ...replay, time: { p50: 1, p95: JSON.parse("1e999") as unknown, max: 1 } },
      "time.p95 is Infinity, not a finite number",
    ],
    ["no profile", { ...replay, profiles: {} }, "profiles has no profile"],
    [
      "a strategy without a figure",
      { ...replay, profiles: { A: { epoch: { ...strategy(1), median: "1" } } } },
      "profiles.A.epoch.median is a string, not a finite number",
    ],
    [
      "a count that is not a number",
      { ...replay, profiles: { A: { epoch: { ...strategy(1), counted: {} } } } },
      "profiles.A.epoch.counted.evidenceMiss is missing, not a finite number",
    ],
  ])("does not exist for %s", (_, json, problem) => {
    expect(() => replayPage(json)).toThrow(
      expect.objectContaining({
        code: "EVALUATE_FILE",
        message: `the file has no figures of a replay: ${problem}; make it with scm replay --json`,
      }) as EvaluateError,
    );
  });
});
