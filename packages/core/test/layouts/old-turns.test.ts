import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { Layout, LayoutOutput } from "../../src/view/layout.ts";
import type { ViewRecord } from "../../src/view/view-record.ts";
import { lines, textsOf, type ViewStage, viewStage } from "./view-stage.ts";

const turnsLine = /^\[turns 1 to \d+ are not shown; activate chat with from and to reads their/u;

/** Returns a session with turns of prose, each of some 110 tokens. Default: a new session. */
function turnsOf(count: number, stage: ViewStage = viewStage()): ViewStage {
  for (let turn = 1; turn <= count; turn += 1) {
    stage.user(`question ${turn}: ${"why ".repeat(50)}`);
    stage.say(`answer ${turn}: ${"so ".repeat(50)}`);
  }
  return stage;
}

/** Returns a session in which a view of 20 turns was sent, and a new turn then reads a file. */
function readAfterTurns(layout: Layout): ViewStage {
  const stage = turnsOf(20);
  stage.view(layout, { budget: 2_500 });
  stage.user("question 21: and now");
  stage.file("f1", lines(60));
  stage.read("f1");
  return stage;
}

function tokensOf({ tokens }: LayoutOutput): number {
  return tokens.metadata + tokens.chat + tokens.active;
}

/** Returns the numbers of the turns whose question is in a view. */
function turnsIn(view: LayoutOutput): readonly number[] {
  return textsOf(view).flatMap((text) => {
    const turn = /^question (\d+): /u.exec(text)?.[1];
    return turn === undefined ? [] : [Number(turn)];
  });
}

function formsOf({ shown }: LayoutOutput): readonly string[] {
  return shown.map(({ form }) => form);
}

describe.each([epochLayout({ small: 0 }), pooledLayout])(
  "older turns in the layout $name (D54)",
  (layout) => {
    it("leave before a pinned content", () => {
      for (let budget = 350; budget <= 2_000; budget += 50) {
        const stage = turnsOf(20);
        stage.file("f1", lines(30));
        stage.activate("f1", { isPinned: true });

        const view = stage.view(layout, { budget });

        expect([budget, ...formsOf(view)]).toEqual([budget, "whole"]);
        expect(textsOf(view).find((text) => turnsLine.test(text))).toBeDefined();
        expect(tokensOf(view)).toBeLessThanOrEqual(budget);
      }
    });

    it("leave before the contents that were just activated, by the user or by the last answer", () => {
      const stage = turnsOf(20);
      stage.view(layout, { budget: 3_000 });
      stage.user("question 21: and now");
      stage.call("bash", { command: "a" }, lines(40));
      stage.file("f1", lines(40));
      stage.read("f1");
      stage.file("f2", lines(40));
      stage.activate("f2", { isAsked: true });

      const view = stage.view(layout, { budget: 1_500 });

      expect(formsOf(view).slice(1)).toEqual(["whole", "whole"]);
      expect(turnsIn(view)).not.toContain(1);
      expect(turnsIn(view)).toContain(21);
    });

    it("are all gone if a pinned content is shown in part", () => {
      const stage = turnsOf(4);
      stage.file("f1", lines(200));
      stage.activate("f1", { isPinned: true });

      const view = stage.view(layout, { budget: 600 });

      expect(formsOf(view)).toEqual(["part"]);
      expect(turnsIn(view)).toEqual([4]);
    });

    it("stay if everything fits", () => {
      const stage = turnsOf(20);
      stage.file("f1", lines(30));
      stage.activate("f1", { isPinned: true });

      const view = stage.view(layout, { budget: tokensOf(turnsOf(20).view(layout)) + 260 });

      expect(turnsIn(view)).toHaveLength(20);
      expect(formsOf(view)).toEqual(["whole"]);
    });

    it("stay out while the turn continues, and the content that took their room stays whole", () => {
      const stage = readAfterTurns(layout);
      const before = stage.view(layout, { budget: 2_500 });
      stage.call("bash", { command: "a" }, "a line\n");

      const view = stage.view(layout, { budget: 2_500 });

      expect(formsOf(before)).toEqual(["whole"]);
      expect(formsOf(view)).toEqual(["whole", "whole"]);
      expect(turnsIn(view)).toEqual(turnsIn(before));
    });

    it("stay out of a request that is sent again", () => {
      const stage = readAfterTurns(layout);
      const { messages } = stage.view(layout, { budget: 2_500 });

      expect(stage.view(layout, { budget: 2_500 }).messages).toEqual(messages);
    });

    it("leave for a pinned content that was shown in part, if the new turn has room for it", () => {
      const stage = turnsOf(1);
      for (let step = 1; step <= 3; step += 1) stage.say(`step ${step}: ${"so ".repeat(50)}`);
      stage.file("f1", lines(80));
      stage.activate("f1", { isPinned: true });
      const before = stage.view(layout, { budget: 600 });
      stage.say("done");
      stage.user("question 2: and now");

      const view = stage.view(layout, { budget: 600 });

      expect(formsOf(before)).toEqual(["part"]);
      expect(formsOf(view)).toEqual(["whole"]);
      expect(turnsIn(view)).toEqual([2]);
    });

    it("are in view only if each pinned and just activated content is whole", () => {
      fc.assert(
        fc.property(script, ({ turns, pinned, arrived, activated, budgets }) => {
          const stage = viewStage();
          const first = new Set<string>();
          turns.forEach(({ words, size }, index) => {
            stage.user(`question ${index + 1}: ${"why ".repeat(words)}`);
            if (size > 0) {
              const handle = stage.call("bash", { command: "a" }, lines(size));
              if (size % 3 === 0) stage.activate(handle, { isPinned: true });
              if (size % 3 === 0) first.add(handle);
            }
            stage.say(`answer ${index + 1}`);
            stage.view(layout, { budget: budgets[0] });
          });
          const last = turns.length + 1;
          stage.user(`question ${last}: and now`);
          pinned.forEach((size, index) => {
            stage.file(`f${index + 1}`, lines(size));
            stage.activate(`f${index + 1}`, { isPinned: true });
          });
          const ahead = new Set([...first, ...pinned.map((_, index) => `f${index + 1}`)]);
          if (arrived > 0) ahead.add(stage.call("bash", { command: "b" }, lines(arrived)));
          if (activated > 0) stage.file("f9", lines(activated));
          if (activated > 0) stage.activate("f9", { isAsked: true });
          if (activated > 0) ahead.add("f9");
          const handles = stage.activeHandles();
          const [, budget] = budgets;

          const view = stage.view(layout, { budget });

          expect(tokensOf(view)).toBeLessThanOrEqual(budget);
          expect(turnsIn(view)).toContain(last);
          const stored = JSON.parse(JSON.stringify(view.record)) as ViewRecord;
          expect(layout.rebuild(stored, stage.source())).toEqual(view.messages);
          const isWhole = view.shown.every(
            ({ form }, index) => form === "whole" || !ahead.has(handles[index] ?? ""),
          );
          const hasOlder = turnsIn(view).some((turn) => turn !== last);
          expect(isWhole || !hasOlder).toBe(true);
        }),
      );
    });
  },
);

const script = fc.record({
  turns: fc.array(
    fc.record({ words: fc.integer({ min: 1, max: 150 }), size: fc.integer({ min: 0, max: 30 }) }),
    { maxLength: 8 },
  ),
  pinned: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 }),
  arrived: fc.integer({ min: 0, max: 60 }),
  activated: fc.integer({ min: 0, max: 60 }),
  budgets: fc.tuple(fc.integer({ min: 150, max: 3_000 }), fc.integer({ min: 150, max: 3_000 })),
});

it("a result that is left out now is not shown after its turn has left", () => {
  const layout = epochLayout({ small: 0 });
  const stage = viewStage("question 0: go");
  const handle = stage.call("bash", { command: "x" }, lines(20, "result"));
  stage.activate(handle, { isPinned: true });
  turnsOf(20, stage);
  const before = textsOf(stage.view(layout, { budget: 1_500 }));
  stage.deactivate(handle);

  const view = textsOf(stage.view(layout, { budget: 1_500, leftOut: ["0.0.0"] }));

  const shows = (texts: readonly string[]): readonly string[] =>
    texts.filter((text) => text.includes("result 1 of the text"));
  expect(turnsLine.test(before[0] ?? "")).toBe(true);
  expect(shows(before)).toHaveLength(1);
  expect(shows(view)).toEqual([]);
});
