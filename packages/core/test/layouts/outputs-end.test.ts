import { describe, expect, it } from "vitest";
import type { Block } from "../../src/chat/message.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { LayoutOutput, Liveness } from "../../src/view/layout.ts";
import {
  lines,
  nothingUsed,
  resultOf,
  type StageOptions,
  textsOf,
  type ViewStage,
  viewStage,
} from "./view-stage.ts";

const layout = epochLayout({ small: 20, trim: { over: 200, head: 40, tail: 20 } });
const longText = lines(400);
const everythingStays: Liveness = { ...nothingUsed, stays: () => true };
const usual: StageOptions = { liveness: everythingStays };
const cold = { read: 0.1, write: 1.25, isCold: true, rewrites: "what-follows" } as const;
const signed: Block = { type: "thinking", thinking: "hm", thinkingSignature: "s" };

/** Makes calls with short outputs until an epoch ends. `length`: the lines of the first of these outputs. */
function untilEnd(
  stage: ViewStage,
  options: StageOptions = usual,
  length = 1,
): { readonly view: LayoutOutput; readonly before: readonly LayoutOutput[] } {
  const before: LayoutOutput[] = [];
  for (let calls = 0; calls < 40; calls += 1) {
    const view = stage.view(layout, options);
    if (view.epoch?.isNew === true) return { view, before };
    before.push(view);
    stage.call("bash", { command: `step ${calls}` }, lines(calls === 0 ? length : 1));
  }
  throw new Error("no epoch ended");
}

function isWhole(view: LayoutOutput, handle: string): boolean {
  return resultOf(view, handle).includes(longText);
}

describe("a long output that the model has answered", () => {
  it("is whole at first, and leaves by itself when reading it again has cost enough", () => {
    const stage = viewStage("go");
    const early = stage.call("bash", { command: "look" }, lines(20));
    const long = stage.call("bash", { command: "build" }, longText);
    const { view, before } = untilEnd(stage);

    expect(before.length).toBeGreaterThan(1);
    expect(before.every((one) => isWhole(one, long))).toBe(true);
    expect(view.epoch).toMatchObject({ endedBy: "outputs", left: [] });
    expect(resultOf(view, long)).toContain("characters not shown; activate t2 shows all");
    expect(resultOf(view, early)).toContain(lines(20));
    const kept = textsOf(before.at(-1) as LayoutOutput).slice(0, 4);
    expect(textsOf(view).slice(0, 4)).toEqual(kept);
    expect(view.deactivated).toEqual([]);
  });

  it("leaves later if more follows it", () => {
    const [few, many] = [1, 20].map((length) => {
      const stage = viewStage("go");
      stage.call("bash", { command: "build" }, lines(100));
      return untilEnd(stage, usual, length).before.length;
    });

    expect(many).toBeGreaterThan((few ?? 0) + 1);
  });

  it("leaves later if much follows it that the model has got and not answered", () => {
    const stage = viewStage("go");
    const long = stage.call("bash", { command: "build" }, longText);
    stage.activate(long, { isPinned: true });
    stage.view(layout, usual);
    stage.call("bash", { command: "test" }, lines(1));
    stage.view(layout, usual);
    stage.call("read", { path: "a.ts" }, lines(2_000));
    stage.view(layout, usual);
    stage.activate(long);

    // The provider failed, so the model gets the same again.
    expect(stage.view(layout, usual).epoch).toMatchObject({ isNew: false });
  });

  it("leaves at once if the cache is cold", () => {
    const stage = viewStage("go");
    const long = stage.call("bash", { command: "build" }, longText);
    stage.view(layout, usual);
    stage.say("It is built.");

    const view = stage.view(layout, { ...usual, cache: cold });
    expect(view.epoch).toMatchObject({ endedBy: "outputs" });
    expect(isWhole(view, long)).toBe(false);
  });

  it("is shown by its ends from the start if its answer is older than the first view", () => {
    const stage = viewStage("go");
    const long = stage.call("bash", { command: "build" }, longText);
    const newest = stage.call("bash", { command: "test" }, longText);

    const view = stage.view(layout, usual);
    expect(view.epoch).toMatchObject({ isNew: false });
    expect([isWhole(view, long), isWhole(view, newest)]).toEqual([false, true]);
  });

  it("stays within a turn if the model would lose its thinking, and leaves with the next turn", () => {
    const bound = { ...usual, thinking: "bound", head: "a" } as const;
    const stage = viewStage("go");
    const long = stage.call("bash", { command: "build" }, longText, { thinking: signed });
    for (let calls = 0; calls < 30; calls += 1) {
      const view = stage.view(layout, bound);
      expect(view.epoch?.isNew).toBe(false);
      stage.call("bash", { command: `step ${calls}` }, "ok", { thinking: signed });
    }
    stage.view(layout, bound);
    stage.say("It is built.");
    stage.user("and now?");

    const view = stage.view(layout, bound);
    expect(view.epoch).toMatchObject({ endedBy: "outputs" });
    expect(isWhole(view, long)).toBe(false);
  });
});

it("what dead contents have cost counts on when long outputs leave", () => {
  const isDead = (key: string): boolean => key === "t1";
  const liveness: Liveness = { ...nothingUsed, stays: ({ key }) => !isDead(key) };
  const stage = viewStage("go");
  const dead = stage.call("bash", { command: "look" }, lines(20));
  stage.call("bash", { command: "list" }, lines(190));
  stage.view(layout, { liveness });
  stage.deactivate(dead);
  stage.call("bash", { command: "build" }, longText);
  const { view, before } = untilEnd(stage, { liveness });
  const last = before.at(-1)?.epoch;

  expect(view.epoch).toMatchObject({ endedBy: "outputs" });
  expect(view.epoch?.carried).toBeGreaterThan(last?.carried ?? 0);
  stage.call("bash", { command: "next" }, "ok");
  const next = stage.view(layout, { liveness });
  expect(next.epoch?.carried).toBeGreaterThan(view.epoch?.carried ?? 0);
});
