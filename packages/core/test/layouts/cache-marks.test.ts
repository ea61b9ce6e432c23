import { describe, expect, it } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { CacheCost, LayoutOutput, Liveness } from "../../src/view/layout.ts";
import { rawTokens } from "../../src/view/entry-groups.ts";
import { lines, nothingUsed, type ViewStage, viewStage } from "./view-stage.ts";

const layout = epochLayout({ small: 0, trim: undefined });
/** Ends an epoch as soon as anything is dead. */
const eager = epochLayout({ small: 0, trim: undefined, share: 0, shareAtTurn: 0 });
const marked: CacheCost = { read: 0.1, write: 1.25, isCold: false, rewrites: "after-a-mark" };
const longText = lines(150);

function staying(...handles: readonly string[]): Liveness {
  return { ...nothingUsed, stays: ({ key }) => handles.includes(key) };
}

const everythingStays: Liveness = { ...nothingUsed, stays: () => true };

/** A session with a view after each of some calls with long outputs, which have the handles t1, t2 and so on. */
function stageOf(calls: number, cache: CacheCost = marked): ViewStage {
  const stage = viewStage("go");
  for (let call = 0; call < calls; call += 1) {
    stage.view(layout, { cache, liveness: everythingStays });
    stage.call("bash", { command: `step ${call}` }, longText);
  }
  return stage;
}

function tokensUpTo({ record }: LayoutOutput, end: number): number {
  return rawTokens(record.entries.slice(0, end + 1));
}

describe("the breakpoints of a view", () => {
  it("are before what would leave now, and at its end", () => {
    const view = stageOf(4).view(layout, { cache: marked, liveness: staying("t1", "t2", "t4") });

    expect(view.boundaries?.slice(-2)).toEqual([4, 8]);
  });

  it("stay where they were while nothing would leave", () => {
    const stage = stageOf(4);
    stage.view(layout, { cache: marked, liveness: staying("t1", "t2", "t4") });
    stage.call("bash", { command: "more" }, longText);
    const view = stage.view(layout, { cache: marked });

    expect(view.boundaries).toContain(4);
  });

  it("move to an earlier place when that would leave, and keep the later one", () => {
    const stage = stageOf(5);
    stage.view(layout, { cache: marked, liveness: staying("t1", "t2", "t3", "t5") });
    stage.call("bash", { command: "more" }, longText);
    const view = stage.view(layout, { cache: marked, liveness: staying("t1", "t5") });

    expect(view.boundaries).toEqual([2, 6, 12]);
  });

  it("are never close to another, or to the system prompt", () => {
    const stage = viewStage("go");
    stage.call("bash", { command: "a" }, lines(30));
    stage.call("bash", { command: "b" }, lines(30));
    const { boundaries } = stage.view(layout, { cache: marked, liveness: staying("t1") });

    expect(boundaries).toEqual([4]);
  });

  it("have the end of the last request if the provider would not find it from this end", () => {
    const stage = stageOf(1);
    stage.view(layout, { cache: marked });
    for (let call = 0; call < 9; call += 1) stage.call("bash", { command: `${call}` }, "done");
    const view = stage.view(layout, { cache: marked });

    expect(view.boundaries).toContain(2);
    expect(view.epoch?.cachedTokens).toBe(tokensUpTo(view, 2));
  });

  it("are as many as ever if the cache is cold", () => {
    const cache = { ...marked, isCold: true };
    const stage = stageOf(9);
    stage.view(layout, { cache: marked, liveness: everythingStays });
    stage.call("bash", { command: "more" }, longText);
    const view = stage.view(layout, { cache, liveness: everythingStays });

    expect(view.boundaries).toHaveLength(3);
  });

  it("have the end up to which the cache is read when an epoch ends", () => {
    const stage = stageOf(4);
    stage.view(layout, { cache: marked, liveness: staying("t1", "t2", "t4") });
    stage.deactivate("t3");
    const view = stage.view(eager, { cache: marked, liveness: staying("t1", "t2", "t4") });

    expect(view.epoch).toMatchObject({ isNew: true, cachedTokens: tokensUpTo(view, 4) });
    expect(view.boundaries?.at(-1)).toBe(view.messages.length - 1);
  });
});

describe("what counts as cached when an epoch ends", () => {
  function ended(cache: CacheCost, calls = 4, dead = "t3"): LayoutOutput {
    const stage = stageOf(calls, cache);
    stage.view(layout, { cache });
    stage.deactivate(dead);
    const liveness: Liveness = { ...nothingUsed, stays: ({ key }) => key !== dead };
    return stage.view(eager, { cache, liveness });
  }

  it("is what ends at an earlier prompt of the epoch, as long as its cache entry is alive", () => {
    const view = ended(marked);

    expect(view.epoch?.cachedTokens).toBe(tokensUpTo(view, 4));
  });

  it("is what the last request marked, if entries live for a time and the time of the prompt is not known", () => {
    const view = ended({ ...marked, heldFrom: 1 }, 9, "t8");

    expect(view.epoch?.sharedTokens).toBe(tokensUpTo(view, 15));
    expect(view.epoch?.cachedTokens).toBe(tokensUpTo(view, 4));
  });

  it("is all that is unchanged, where the provider finds every beginning by itself", () => {
    const view = ended({ ...marked, rewrites: "what-follows" });

    expect(view.epoch?.cachedTokens).toBe(view.epoch?.sharedTokens);
  });

  it("is what the host's breakpoint at the end still finds within 20 blocks", () => {
    const host = { ...marked, rewrites: "everything" } as const;

    expect(ended(host).epoch?.cachedTokens).toBe(tokensUpTo(ended(host), 4));
    expect(ended(host, 14).epoch?.cachedTokens).toBe(0);
  });

  it("is nothing if the cache is cold", () => {
    expect(ended({ ...marked, isCold: true }).epoch?.cachedTokens).toBe(0);
  });
});

describe("the rewrite cost", () => {
  it("has the text in front of the cut that no breakpoint has written", () => {
    const costs = (["what-follows", "after-a-mark"] as const).map((rewrites) => {
      const cache = { ...marked, rewrites, heldFrom: 1 };
      const stage = stageOf(9, cache);
      stage.view(layout, { cache, liveness: everythingStays });
      stage.deactivate("t8");
      return stage.view(layout, { cache, liveness: everythingStays }).epoch?.rewrite ?? 0;
    });

    expect(costs[1]).toBeGreaterThan((costs[0] ?? 0) * 2);
  });
});
