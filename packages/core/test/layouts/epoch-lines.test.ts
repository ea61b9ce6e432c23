import { describe, expect, test } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { lines, resultOf, textsOf, viewAfterPause, viewStage } from "./view-stage.ts";

const layout = epochLayout({ small: 0 });

const summarised = { short_summary: "Two tests fail.", view: ["short_summary"] };

describe("an object with a view of its own", () => {
  test("has the fields that it names after its reference line, in the newest version", () => {
    const stage = viewStage("go");
    const call = stage.call("bash", { command: "npm test" }, lines(30));
    stage.view(layout);
    stage.change(call, summarised);

    expect(resultOf(viewAfterPause(stage, layout), call)).toContain("line 30 of the text");
    stage.say("done");
    expect(resultOf(viewAfterPause(stage, layout), call)).toBe(
      '[t1 ok, 591 chars short_summary="Two tests fail."]',
    );
  });

  test("has them when it arrives inactive", () => {
    const stage = viewStage("go");
    const call = stage.call("bash", { command: "npm test" }, lines(3), { isActive: false });
    stage.change(call, summarised);

    expect(resultOf(stage.view(layout), call)).toBe(
      '[t1 ok, 57 chars short_summary="Two tests fail."]',
    );
  });

  test("has them in a correction", () => {
    const stage = viewStage("go");
    stage.file("f1", lines(5));
    stage.read("f1");
    stage.view(layout);
    stage.deactivate("f1");
    stage.change("f1", { ...summarised, content: "short\n", char_count: 6 });

    expect(textsOf(stage.view(layout)).at(-1)).toBe(
      '[f1 f1.ts changed, v1 95 chars -> v2 6 chars; read it to see v2 short_summary="Two tests fail."]',
    );
  });
});

describe("an object that a program has loaded as inactive", () => {
  const plan = { nickname: "plan", view: ["short_summary"], short_summary: "What to do." };
  const planLine = '[o1 plan 9 short_summary="What to do."]';

  test("has its line in the next view, once", () => {
    const stage = viewStage("go");
    stage.load("o1", plan);
    const first = textsOf(stage.view(layout));
    stage.say("done");
    stage.user("more");
    const second = textsOf(stage.view(layout));

    expect(first).toEqual(["go", planLine]);
    expect(second).toEqual(["go", planLine, "done", "more"]);
  });

  test("has it at the end of a view that was sent before", () => {
    const stage = viewStage("go");
    stage.view(layout);
    stage.say("done");
    stage.load("o1", plan);

    expect(textsOf(stage.view(layout))).toEqual(["go", "done", planLine]);
  });

  test("has no line while its content is in view, and one when the content has left", () => {
    const stage = viewStage("go");
    stage.load("o1", { ...plan, content: lines(20), char_count: 467 });
    stage.activate("o1");
    const shown = textsOf(stage.view(layout));
    stage.say("done");
    stage.deactivate("o1");
    const left = textsOf(viewAfterPause(stage, layout));

    expect(shown.join("\n")).not.toContain("[o1");
    expect(left.filter((text) => text.startsWith("[o1 plan 467"))).toHaveLength(1);
  });

  test("has one current line after an end of an epoch if it has changed", () => {
    const stage = viewStage("go");
    const call = stage.call("bash", { command: "a" }, lines(30));
    stage.load("o1", plan);
    stage.view(layout);
    stage.say("done");
    stage.deactivate(call);
    stage.change("o1", { short_summary: "Less to do." });
    const changed = textsOf(stage.view(layout));
    const swept = textsOf(viewAfterPause(stage, layout));

    expect(changed.filter((text) => text.startsWith("[o1"))).toEqual([
      planLine,
      '[o1 plan 9 v2 short_summary="Less to do."]',
    ]);
    expect(swept.filter((text) => text.startsWith("[o1"))).toEqual([
      '[o1 plan 9 v2 short_summary="Less to do."]',
    ]);
  });

  test("has it again after a summary that the user asked for", () => {
    const stage = viewStage("go");
    stage.load("o1", plan);
    stage.view(layout);
    stage.say("done");
    stage.user("more");
    const message = { role: "opaque", kind: "summary", raw: { summary: "so" } } as const;

    const compacted = stage.view(layout, {
      compaction: { messages: [{ message }], from: { turn: 1, step: -1 } },
    });

    expect(textsOf(compacted)).toEqual(["(opaque)", "more", planLine]);
  });

  test("waits for a line until the budget allows it", () => {
    const stage = viewStage("go");
    stage.load("o1", plan);
    const first = stage.view(layout, { budget: 18 });
    stage.say("done");
    const second = stage.view(layout, { budget: 18 });

    expect([textsOf(first), textsOf(second)]).toEqual([["go"], ["go", "done"]]);
    expect(second.epoch).toMatchObject({ number: 1, calls: 2 });
    expect(textsOf(stage.view(layout, { budget: 100 }))).toContain(planLine);
  });
});
