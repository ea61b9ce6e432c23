import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import { calibratedEstimator } from "../../src/cost/calibrated-estimator.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { LayoutOutput } from "../../src/view/layout.ts";
import {
  lines,
  nothingUsed,
  resultOf,
  textsOf,
  viewAfterPause,
  type ViewStage,
  viewStage,
} from "./view-stage.ts";

const layout = epochLayout({ small: 0 });

interface Script {
  /** Number of lines of each output, and whether it is pinned. */
  readonly outputs: readonly { readonly size: number; readonly isPinned: boolean }[];
  readonly budget: number;
}

const script: fc.Arbitrary<Script> = fc.record({
  outputs: fc.array(fc.record({ size: fc.integer({ min: 5, max: 60 }), isPinned: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  }),
  budget: fc.integer({ min: 150, max: 2_500 }),
});

function staged(outputs: Script["outputs"]): ViewStage {
  const stage = viewStage("the question");
  for (const { size, isPinned } of outputs) {
    const handle = stage.call("bash", { command: "a" }, lines(size));
    if (isPinned) stage.activate(handle, { isPinned });
  }
  return stage;
}

/** A session of six turns with long questions. */
function sixTurns(): ViewStage {
  const stage = viewStage();
  for (let turn = 1; turn <= 6; turn += 1) {
    stage.user(`question ${turn}: ${"why ".repeat(40)}`);
    stage.say(`answer ${turn}`);
  }
  return stage;
}

/** A session of two turns with two pinned outputs that are mentioned below their contents. */
function twoPinned(): ViewStage {
  const stage = viewStage("the first question");
  stage.say("The first answer.");
  stage.user("the second question");
  const command = "npm run a-script-with-a-long-name -- --and=its-option";
  const handles = [8, 60].map((size) => stage.call("bash", { command }, lines(size)));
  for (const handle of [...handles, ...handles]) {
    stage.activate(handle, { isPinned: true });
    stage.call("activate", { id: handle }, `${handle}.`, { shows: [handle] });
    stage.view(layout);
  }
  return stage;
}

function tokensOf({ tokens }: LayoutOutput): number {
  return tokens.metadata + tokens.chat + tokens.active;
}

describe("a view on a small budget (D54)", () => {
  it("keeps the budget and the question, and shows pinned objects before others", () => {
    fc.assert(
      fc.property(script, ({ outputs, budget }) => {
        const view = staged(outputs).view(layout, { budget });
        const texts = textsOf(view);

        expect(tokensOf(view)).toBeLessThanOrEqual(budget);
        expect(texts).toContain("the question");
        const ways = view.shown.map(({ form }, index) => ({ form, ...outputs[index] }));
        const smallest = Math.min(
          ...ways
            .filter(({ form, isPinned }) => form === "whole" && isPinned !== true)
            .map(({ size }) => size ?? 0),
        );
        const leftOut = ways.filter(
          ({ form, isPinned }) => isPinned === true && form === "left-out",
        );
        for (const { size = 0 } of leftOut)
          expect(size).toBeGreaterThanOrEqual(smallest === Number.POSITIVE_INFINITY ? 0 : smallest);
      }),
    );
  });

  it.each([0.5, 0.75, 1])(
    "fills three quarters of the budget with a question that is too large (calibration factor %s)",
    (factor) => {
      const stage = viewStage("word ".repeat(40_000));
      const calibration = { factor, overhead: 0 };
      const estimator = calibratedEstimator(calibration);

      const tokens = tokensOf(stage.view(layout, { budget: 10_000, calibration, estimator }));

      expect(tokens).toBeLessThanOrEqual(7_500);
      expect(tokens).toBeGreaterThan(7_100);
    },
  );

  it("removes only as many earlier contents as leave a quarter of the budget free", () => {
    const budget = 3_000;
    const unfolded = epochLayout({ folds: undefined });
    const stage = viewStage("go");
    let view = stage.view(unfolded, { budget });
    const ended: number[] = [];
    for (let call = 1; call <= 24; call += 1) {
      stage.call("bash", { command: `${call}` }, lines(30, `output ${call}`));
      const held = textsOf(view).filter((text) => text.includes("~~~"));
      view = stage.view(unfolded, { budget });
      const left = held.filter((text) => !textsOf(view).includes(text));
      if (view.epoch?.isNew === true) ended.push(tokensOf(view));
      // The oldest leave, and the newest stay.
      expect(left).toEqual(view.epoch?.isNew === true ? held.slice(0, left.length) : []);
    }

    expect(ended.length).toBeGreaterThan(2);
    expect(ended.length).toBeLessThan(10);
    expect(Math.max(...ended)).toBeLessThanOrEqual(budget * 0.75);
    expect(Math.min(...ended)).toBeGreaterThan(budget * 0.55);
  });

  it("removes earlier contents before the newest if all have one size", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 8 }),
        fc.integer({ min: 300, max: 2_500 }),
        (count, budget) => {
          const outputs = Array.from({ length: count }, () => ({ size: 30, isPinned: false }));
          const view = staged(outputs).view(layout, { budget });

          const ways = view.shown.map(({ form }) => form);
          const firstShown = ways.findIndex((as) => as !== "left-out");
          expect(ways.slice(firstShown === -1 ? count : firstShown)).not.toContain("left-out");
        },
      ),
    );
  });

  it("shows the beginning and end of the newest content if only that is too large", () => {
    const stage = staged([{ size: 300, isPinned: false }]);

    const view = stage.view(layout, { budget: 400 });
    expect(view.shown.map(({ form }) => form)).toEqual(["part"]);
    expect(resultOf(view, "t1")).toMatch(
      /^t1 ok\n~~~\nline 1 of[^]*\n\[\d+ characters not shown; no room for more, activate t1 with from and to shows a part\][^]*line 300 of the text\n~~~$/u,
    );
    expect(view.epoch?.endedBy).toBe("budget");
  });

  it("ends an epoch, and names the objects that left for the budget and those that were not used", () => {
    const stage = viewStage("go");
    const old = stage.call("bash", { command: "a" }, lines(100));
    stage.say("Well.");
    stage.user("on");
    const newest = stage.call("bash", { command: "b" }, lines(300));

    const view = viewAfterPause(stage, layout, { budget: 400 });

    expect(view.epoch).toMatchObject({ isNew: true, endedBy: "budget" });
    expect(view.epoch?.left).toContain(old);
    expect(resultOf(view, newest).length).toBeLessThan(lines(300).length / 2);
  });

  it("does not end an epoch on each call for content that does not fit", () => {
    const stage = staged([{ size: 300, isPinned: true }]);
    stage.view(layout, { budget: 400 });
    stage.say("Well.");

    expect(stage.view(layout, { budget: 400 }).epoch?.isNew).toBe(false);
  });

  it("keeps the messages of the turn if the lines that replace contents are longer than the mentions", () => {
    for (let budget = 600; budget < 700; budget += 1) {
      const view = twoPinned().view(layout, { budget });

      expect(tokensOf(view)).toBeLessThanOrEqual(budget);
      expect(textsOf(view)).toContain("the second question");
      expect(view.messages.filter(({ role }) => role === "toolResult")).toHaveLength(6);
    }
  });

  it("removes whole turns if the messages alone are too large, and shows how they are read", () => {
    const texts = textsOf(sixTurns().view(layout, { budget: 200 }));

    expect(texts[0]).toMatch(
      /^\[turns 1 to \d are not shown; activate chat with from and to reads their lines\]$/u,
    );
    expect(texts.at(-2)).toMatch(/^question 6: /u);
    expect(texts).not.toContain("answer 1");
  });

  it("shows removed turns again if the budget grows by half", () => {
    const stage = sixTurns();
    stage.view(layout, { budget: 200 });

    const little = stage.view(layout, { budget: 280 });
    const enough = stage.view(layout, { budget: 2_000 });
    expect(little.epoch?.isNew).toBe(false);
    expect(textsOf(enough)).toContain("answer 1");
    expect(enough.epoch).toMatchObject({ isNew: true, endedBy: "budget" });
  });

  it("shows no content again that nobody used, when turns leave and there is room", () => {
    const stage = viewStage("go on");
    const output = stage.call("bash", { command: "a" }, lines(12));
    for (let turn = 1; turn <= 4; turn += 1) {
      stage.say(`answer: ${"so ".repeat(60)}`);
      stage.user(`question: ${"why ".repeat(60)}`);
    }

    const view = stage.view(layout, { budget: 300, liveness: nothingUsed });

    expect(view.epoch).toMatchObject({ endedBy: "budget", left: [output] });
    expect(textsOf(view).join("\n")).not.toContain("line 1 of the text");
    expect(stage.activeHandles()).toEqual([]);
  });

  it("ends one epoch for a new output, in whose room no earlier content returns", () => {
    const stage = viewStage("go on");
    for (const handle of ["f1", "f2"]) {
      stage.file(handle, lines(12));
      stage.activate(handle);
    }
    stage.say(lines(4, "earlier"));
    stage.view(layout, { budget: 290 });
    stage.call("bash", { command: "make" }, lines(300, "out"));

    const view = stage.view(layout, { budget: 290 });
    stage.say("Well.");
    const next = stage.view(layout, { budget: 290 });

    expect(view.epoch).toMatchObject({ isNew: true, endedBy: "budget" });
    expect(textsOf(view).join("\n")).not.toContain("line 1 of the text");
    expect(next.epoch?.isNew).toBe(false);
  });

  it("keeps the part of a pinned content when a late result changes the view above it", () => {
    const stage = viewStage("go on");
    const late = stage.callWithoutResult("bash", { command: "wait" });
    stage.file("f1", lines(200));
    stage.activate("f1", { isPinned: true });
    const before = stage.view(layout, { budget: 900 });
    stage.result(late, "late");
    stage.say("Well.");

    const view = stage.view(layout, { budget: 900 });
    expect([before, view].map(({ shown }) => shown[0]?.form)).toEqual(["part", "part"]);
  });

  it("shows a file whole at an end if it has become small since a part of it was shown", () => {
    const stage = viewStage("go on");
    const gone = stage.call("bash", { command: "a" }, lines(20));
    stage.file("f1", lines(300));
    stage.activate("f1", { isPinned: true });
    stage.view(layout, { budget: 900 });
    stage.say("Well.");
    stage.file("f1", lines(5));

    const view = viewAfterPause(stage, layout, { budget: 900 });
    expect(view.epoch).toMatchObject({ isNew: true, left: [gone] });
    expect(textsOf(view)).toContain(`f1 f1.ts v2\n~~~\n${lines(5)}~~~`);
  });

  it("lets a content leave that was answered, before turns, also if a late result changes the view above it", () => {
    const stage = viewStage("go on");
    stage.say(lines(20, "answer"));
    stage.user("second");
    const late = stage.callWithoutResult("bash", { command: "wait" });
    stage.file("f1", lines(60));
    stage.activate("f1");
    stage.view(layout);
    stage.say("Well.");
    stage.view(layout);
    stage.result(late, "late");
    stage.say("So.");

    const texts = textsOf(stage.view(layout, { budget: 500 })).join("\n");
    expect(texts).toContain("answer 1 of the text");
    expect(texts).not.toContain("line 1 of the text");
  });

  it("shows a removed turn again if the user goes back to it", () => {
    const stage = sixTurns();
    const texts = textsOf(stage.view(layout, { budget: 200 }));
    for (let turn = 6; turn > 3; turn -= 1) stage.goBack();

    const back = stage.view(layout, { budget: 200 });

    expect(texts.join("\n")).not.toContain("question 3: ");
    expect(textsOf(back).join("\n")).toContain("question 3: ");
    expect(back.epoch).toMatchObject({ isNew: true, endedBy: "budget" });
  });

  it("shows as much of a question that is too long as the budget allows", () => {
    const stage = viewStage(`begin ${"why ".repeat(400)}`);

    const view = stage.view(layout, { budget: 120 });
    expect(textsOf(view)).toEqual([
      expect.stringMatching(
        /^begin why [^]*\n\[\d+ characters not shown; activate chat with from and to reads it\]$/u,
      ),
    ]);
    expect(tokensOf(view)).toBeLessThanOrEqual(120);
  });

  it("never shows less of a new output because the output is longer", () => {
    const whole = epochLayout({ small: 0, freshOutputs: "whole" });
    const earlier = fc.array(fc.integer({ min: 5, max: 60 }), { maxLength: 6 });
    fc.assert(
      fc.property(earlier, fc.integer({ min: 600, max: 2_500 }), (sizes, budget) => {
        let before = 0;
        for (let size = 10; size < budget / 2; size += 10) {
          const stage = staged(sizes.map((one) => ({ size: one, isPinned: false })));
          stage.view(whole, { budget });
          const fresh = stage.call("bash", { command: "b" }, lines(size));
          const shown = resultOf(stage.view(whole, { budget }), fresh).length;
          // The ends are at ends of lines.
          expect(shown).toBeGreaterThan(before - 120);
          before = Math.max(before, shown);
        }
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  it("shows no other lines than the active ones if they do not fit", () => {
    const stage = viewStage("the question");
    stage.file("f1", lines(300));
    stage.activate("f1", { ranges: [{ from: 100, to: 300 }] });

    const view = stage.view(layout, { budget: 700 });

    const text = textsOf(view).find((one) => one.startsWith("f1 "));
    expect(text).toMatch(
      /^f1 [^\n]* lines 100-1\d\d of 300; no room for more\n~~~\nline 100 of[^]*\n~~~$/u,
    );
    expect(view.shown).toMatchObject([{ form: "part" }]);
  });

  it("never says that a content is shown above of which only a part is", () => {
    const stage = viewStage("the question");
    const output = stage.call("bash", { command: "a" }, lines(300));
    stage.activate(output, { isPinned: true, isAsked: true });
    stage.view(layout);
    const again = stage.call("activate", { id: output }, "shown", { shows: [output] });
    expect(resultOf(stage.view(layout), again)).toBe("[t1 ok unchanged, shown above]");
    stage.say("Well.");

    const view = stage.view(layout, { budget: 700 });

    expect(view.shown.map(({ form }) => form)).toEqual(["part"]);
    expect(resultOf(view, output)).toMatch(/not shown; no room for more, activate t1 with/u);
    expect(resultOf(view, again)).toBe(
      "[t1 ok unchanged, shown above in part; activate t1 with from and to shows more]",
    );
  });

  it("says of a content that was asked for that it does not fit at all", () => {
    const results = Array.from({ length: 20 }, (_, index) => {
      const stage = viewStage("the question");
      stage.file("f1", lines(300));
      stage.read("f1");
      const texts = textsOf(stage.view(layout, { budget: 50 + 10 * index }));
      return texts.find((one) => /^\[?f1 /u.test(one));
    });

    expect(results).toContain(
      "[f1 f1.ts 6.2k; no room to show it, activate f1 with from and to shows a part]",
    );
  });
});
