import { expect, test } from "vitest";

import { surpriseText } from "../../src/index.ts";
import type { MeasuredCall } from "../../src/surprise/measure-surprise.ts";
import { sampleCalls } from "../../src/surprise/sample-calls.ts";
import { seededRandom } from "../../src/surprise/seeded-random.ts";
import { surpriseReport } from "../../src/surprise/surprise-report.ts";
import { calls, result, says, sessionOf, user, words } from "../made-sessions.ts";

const options = {
  model: "made",
  window: 1000,
  seed: 1,
  recorded: { sessions: 2, total: 10, tooLong: 3, tooLittleLeft: 4 },
  isComplete: true,
};

test("the difference is a mean over calls, with groups by answer, size and quotation", () => {
  const report = surpriseReport(
    [
      made("a", 0.4, { kind: "edit", left: 500, quoting: "gone" }),
      made("a", 0.2, { kind: "text", left: 5000, quoting: "nothing" }),
      made("b", -0.3, { kind: "edit", left: 0, quoting: "nothing" }),
    ],
    options,
  );

  const { epoch } = report.views;
  expect(epoch?.all).toMatchObject({ calls: 3, sessions: 2, worse: 2 / 3 });
  expect(epoch?.all.difference).toBeCloseTo(0.1, 12);
  expect(epoch?.kinds["edit"]?.difference).toBeCloseTo(0.05, 12);
  expect(Object.keys(epoch?.left ?? {})).toEqual(["nothing", "below 1000", "4000 to 16000"]);
  expect(epoch?.quoting["gone"]).toEqual({
    calls: 1,
    sessions: 1,
    difference: 0.4,
    low: null,
    high: null,
    worse: 1,
  });
});

test.each([8, 30])(
  "the interval of %i sessions contains the true difference in about 95 of 100 samples",
  (sessions) => {
    const random = seededRandom(5);
    let contained = 0;
    for (let sample = 0; sample < 100; sample += 1) {
      const measured = Array.from({ length: sessions }, (_, session) => {
        // The calls of a session differ from 0.1 together, and each by itself.
        const shift = random() - 0.5;
        return Array.from({ length: 4 }, () =>
          made(`s${session}`, 0.1 + shift + (random() - 0.5) * 0.2),
        );
      }).flat();
      const figure = surpriseReport(measured, { ...options, seed: sample + 1 }).views.epoch?.all;
      if ((figure?.low ?? 1) <= 0.1 && 0.1 <= (figure?.high ?? 0)) contained += 1;
    }

    expect(contained).toBeGreaterThanOrEqual(87);
    expect(contained).toBeLessThanOrEqual(99);
  },
);

test("the same seed gives the same interval, and calls of fewer than 5 sessions give none", () => {
  const measured = [0.1, 0.5, -0.2, 0, 0.3].map((difference, at) => made(`s${at}`, difference));
  const few = [...measured.slice(0, 4), made("s1", 0.3)];

  expect(surpriseReport(measured, options)).toEqual(surpriseReport(measured, options));
  expect(surpriseReport(measured, options).views.epoch?.all.low).toBeLessThan(0.14);
  expect(surpriseReport(few, options).views.epoch?.all).toMatchObject({ low: null, high: null });
});

test("the text says what was measured and what was not, and the direction of a difference", () => {
  const text = surpriseText(surpriseReport([made("a", 0.4), made("b", -0.1)], options));

  expect(text).toContain("Measured: 2 calls of 2 sessions, 20 tokens of answers.");
  expect(text).toContain("3 with a plain view above the limit, and 4 in which too little left");
  expect(text).toContain("+ means more surprising");
  expect(text).toMatch(/^epoch +all +2 +2 +\+0\.150 +- +50%$/mu);
});

test("a sample has one call of each session before a second one, and a longer one continues it", async () => {
  const sessions = ["a", "b", "c"].map((name) => sessionOf(reads(12), name));
  const sampling = { views: ["masking"], least: 0, most: 100_000, leastLeft: 1 } as const;

  const { calls: sample, counts } = await sampleCalls(each(sessions), { ...sampling, seed: 3 });
  const again = await sampleCalls(each(sessions), { ...sampling, seed: 3 });
  const other = await sampleCalls(each(sessions), { ...sampling, seed: 4 });

  const names = sample.map(({ session, call }) => `${session}${call}`);
  expect(new Set(sample.slice(0, 3).map(({ session }) => session)).size).toBe(3);
  expect(new Set(names).size).toBe(names.length);
  expect(counts).toMatchObject({ sessions: 3, tooLong: 0 });
  expect(counts.total).toBe(names.length + counts.tooLittleLeft);
  expect(again.calls).toEqual(sample);
  expect(other.calls.map(({ session, call }) => `${session}${call}`)).not.toEqual(names);
});

function made(
  session: string,
  difference: number,
  {
    kind = "text",
    left = 100,
    quoting = "nothing",
  }: {
    readonly kind?: string;
    readonly left?: number;
    readonly quoting?: "gone" | "nothing";
  } = {},
): MeasuredCall {
  return {
    session,
    segment: 0,
    call: 1,
    kind,
    plainTokens: 1000,
    tokens: 10,
    surprise: 2,
    views: new Map([["epoch", { left, quoting, difference }]]),
  };
}

function reads(count: number): ReturnType<typeof user>[] {
  const rows = Array.from({ length: count }, (_, index) => [
    calls(`c${index}`, "read", { path: `dir/f${index}.ts` }),
    result(`c${index}`, "read", words(`r${index}x`, 40)),
  ]);
  return [user("go"), ...rows.flat(), says("done")];
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item, void, undefined> {
  for (const item of items) yield await Promise.resolve(item);
}
