import { describe, expect, test } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { LayoutInput, Liveness } from "../../src/view/layout.ts";
import { lines, nothingUsed, textsOf, viewAfterPause, viewStage } from "./view-stage.ts";

const layout = epochLayout({ small: 0 });
type Compaction = NonNullable<LayoutInput["compaction"]>;

describe("a summary that the user asked for", () => {
  const summary = (timestamp: number, turn: number): Compaction => ({
    messages: [
      { message: { role: "opaque", kind: "summary", raw: `summary ${timestamp}`, timestamp } },
    ],
    from: { turn, step: -1 },
  });

  test("is shown first, before the turns from its place on", () => {
    const stage = viewStage("one");
    stage.say("first");
    stage.user("two");

    const view = stage.view(layout, { compaction: summary(1, 1) });

    expect(textsOf(view)).toEqual(["(opaque)", "two"]);
    expect(view.messages[0]).toMatchObject({ raw: "summary 1" });
  });

  test("begins an epoch when it is new, and none later", () => {
    const stage = viewStage("one");
    stage.say("first");
    stage.user("two");
    stage.view(layout);

    const coming = stage.view(layout, { compaction: summary(1, 1) });
    const staying = stage.view(layout, { compaction: summary(1, 1) });
    const another = stage.view(layout, { compaction: summary(2, 1) });

    expect(coming.epoch?.isNew).toBe(true);
    expect(staying.epoch?.isNew).toBe(false);
    expect(another.epoch?.isNew).toBe(true);
    expect(another.messages[0]).toMatchObject({ raw: "summary 2" });
  });

  test("names the contents that left the view with it", () => {
    const stage = viewStage("one");
    stage.call("bash", { command: "a" }, lines(20));
    stage.file("f1", lines(10));
    stage.read("f1");
    stage.file("f2", lines(12));
    stage.read("f2");
    stage.say("first");
    stage.user("two");
    stage.activate("f2", { isPinned: true });
    stage.view(layout);
    stage.deactivate("t1");
    stage.deactivate("f1");

    const view = stage.view(layout, { compaction: summary(1, 1) });
    const next = stage.view(layout, { compaction: summary(1, 1) });

    expect(view.epoch).toMatchObject({ endedBy: "compaction", left: ["t1", "f1"] });
    expect(next.epoch).toMatchObject({ endedBy: "compaction", left: ["t1", "f1"] });
  });

  test("names the arguments that left the view with it", () => {
    const large = epochLayout({ small: 0, largeArguments: 60 });
    const stage = viewStage("one");
    stage.file("f1", lines(40));
    stage.call("write", { path: "/work/f1.ts", content: lines(40) }, "written", { file: "f1" });
    stage.say("first");
    stage.user("two");
    stage.view(large);

    const view = stage.view(large, { compaction: summary(1, 1) });

    expect(view.epoch?.left).toContain("t1/args");
  });
});

describe("the tokens of a host without a context manager", () => {
  test("count an output in full that is shown by its ends", () => {
    const trimming = epochLayout({
      small: 0,
      trim: { over: 200, head: 40, tail: 20 },
      freshOutputs: "whole",
    });
    const stage = viewStage("go");
    stage.call("bash", { command: "test" }, lines(10));
    const long = stage.call("bash", { command: "build" }, lines(400));
    stage.view(trimming);
    stage.say("It is built.");

    const liveness: Liveness = { ...nothingUsed, stays: ({ key }) => key === long };
    const { epoch } = viewAfterPause(stage, trimming, { liveness });

    expect(epoch?.promptTokens).toBeLessThan(400);
    expect(epoch?.appendOnlyTokens).toBeGreaterThan(1_500);
  });

  test("count no content for a context tool other than read", () => {
    const stage = viewStage("go");
    const output = stage.call("bash", { command: "a" }, lines(100), { isActive: false });
    const before = stage.view(layout).epoch?.appendOnlyTokens ?? 0;
    stage.activate(output, { isAsked: true });
    stage.call("activate", { id: output }, "t1 is active.", { shows: [output] });

    const { epoch } = stage.view(layout);

    expect((epoch?.appendOnlyTokens ?? 0) - before).toBeLessThan(100);
  });

  test("count a file again with every read of it", () => {
    const stage = viewStage("go");
    stage.file("f1", lines(100));
    stage.read("f1");
    const before = stage.view(layout).epoch?.appendOnlyTokens ?? 0;
    stage.read("f1");

    const { epoch } = stage.view(layout);

    expect((epoch?.appendOnlyTokens ?? 0) - before).toBeGreaterThan(300);
  });
});
