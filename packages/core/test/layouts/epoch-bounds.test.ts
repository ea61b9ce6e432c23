import { describe, expect, test } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { CacheCost, LayoutInput, LayoutOutput, Liveness } from "../../src/view/layout.ts";
import { lines, resultOf, textOf, viewStage } from "./view-stage.ts";

const settings = { small: 0, largeArguments: 60 };
const layout = epochLayout(settings);
const cold: CacheCost = { read: 0.1, write: 1.25, isCold: true, rewrites: "what-follows" };
const none: Liveness = { keepsArguments: () => false, stays: () => false };
type Compaction = NonNullable<LayoutInput["compaction"]>;

function textsOf({ messages }: LayoutOutput): readonly string[] {
  return messages.map(textOf);
}

describe("a summary that the user asked for", () => {
  const summary = (timestamp: number, turn: number): Compaction => ({
    opaque: `summary ${timestamp}`,
    kind: "summary",
    from: { turn, step: -1 },
    timestamp,
  });

  test("is shown first, before the turns from its place on", () => {
    const stage = viewStage();
    stage.user("one");
    stage.say("first");
    stage.user("two");

    const view = stage.view(layout, { compaction: summary(1, 1) });

    expect(textsOf(view)).toEqual(["(opaque)", "two"]);
    expect(view.messages[0]).toMatchObject({ raw: "summary 1" });
  });

  test("begins an epoch when it is new, and none later", () => {
    const stage = viewStage();
    stage.user("one");
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
});

describe("the tokens of a host without a context manager", () => {
  test("count a trimmed output in full", () => {
    const trimming = epochLayout({ ...settings, trim: { over: 200, head: 40, tail: 20 } });
    const stage = viewStage();
    stage.user("go");
    stage.call("bash", { command: "build" }, lines(400));

    const { epoch } = stage.view(trimming);

    expect(epoch?.promptTokens).toBeLessThan(400);
    expect(epoch?.appendOnlyTokens).toBeGreaterThan(1_500);
  });

  test("count no content for a context tool other than read", () => {
    const stage = viewStage();
    stage.user("go");
    const output = stage.call("bash", { command: "a" }, lines(100), { isActive: false });
    const before = stage.view(layout).epoch?.appendOnlyTokens ?? 0;
    stage.activate(output, { isAsked: true });
    stage.call("activate", { id: output }, "t1 is active.", { shows: [output] });

    const { epoch } = stage.view(layout);

    expect((epoch?.appendOnlyTokens ?? 0) - before).toBeLessThan(100);
  });

  test("count a file again with every read of it", () => {
    const stage = viewStage();
    stage.user("go");
    stage.file("f1", lines(100));
    stage.activate("f1", { isAsked: true });
    stage.call("read", { path: "f1.ts" }, "read.", { shows: ["f1"] });
    const before = stage.view(layout).epoch?.appendOnlyTokens ?? 0;
    stage.call("read", { path: "f1.ts" }, "read.", { shows: ["f1"] });

    const { epoch } = stage.view(layout);

    expect((epoch?.appendOnlyTokens ?? 0) - before).toBeGreaterThan(300);
  });
});

describe("an epoch's end on a small budget", () => {
  test("names the objects that left for the budget and those that were not used", () => {
    const stage = viewStage();
    stage.user("go");
    const old = stage.call("bash", { command: "a" }, lines(100));
    stage.say("Well.");
    stage.user("on");
    const newest = stage.call("bash", { command: "b" }, lines(300));

    const view = stage.view(layout, { cache: cold, liveness: none, budget: 400 });

    expect(view.epoch).toMatchObject({ isNew: true, endedBy: "budget" });
    expect(view.epoch?.left).toContain(old);
    expect(resultOf(view, newest).length).toBeLessThan(lines(300).length / 2);
  });
});
