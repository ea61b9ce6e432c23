import { describe, expect, it, test } from "vitest";
import type { Block } from "../../src/chat/message.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { LayoutOutput } from "../../src/view/layout.ts";
import {
  lines,
  nothingUsed,
  type StageOptions,
  textsOf,
  type ViewStage,
  viewStage,
} from "./view-stage.ts";

const layout = epochLayout({ small: 0, share: 0.75 });
const warm = { read: 0.1, write: 1.25, isCold: false, rewrites: "what-follows" } as const;
const bound = { thinking: "bound", head: "a", liveness: nothingUsed } as const;
const cold = { ...bound, cache: { ...warm, isCold: true } };

function signed(name: string): Block {
  return { type: "thinking", thinking: `about ${name}`, thinkingSignature: `sig ${name}` };
}

/** Returns the names of the signed thinking in a view. */
function thoughtsIn({ messages }: LayoutOutput): readonly string[] {
  return messages.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap(({ type, thinking }) => {
          if (!type.includes("thinking")) return [];
          return [typeof thinking === "string" ? thinking.replace("about ", "") : type];
        })
      : [],
  );
}

/** Returns the name under which a call with thinking is made. Its output is long. */
function callWith(stage: ViewStage, name: string, thinking = signed(name)): string {
  return stage.call("bash", { command: name }, lines(200, name), { thinking });
}

/** A session with two answers, of which the first output is no longer active. */
function twoAnswers(options: StageOptions = bound): ViewStage {
  const stage = viewStage("go on");
  stage.view(layout, options);
  const first = callWith(stage, "one");
  stage.view(layout, options);
  callWith(stage, "two");
  stage.view(layout, options);
  stage.deactivate(first);
  return stage;
}

describe("a model that binds its thinking", () => {
  it("gets all its thinking while no epoch ends", () => {
    const stage = twoAnswers();

    expect(thoughtsIn(stage.view(layout, bound))).toEqual(["one", "two"]);
  });

  it.each<readonly [string, StageOptions]>([
    ["the carried cost is high", { ...bound, cache: { ...warm, read: 1 } }],
    ["the cache is cold", cold],
  ])("loses no thinking within a turn when %s", (_, options) => {
    const stage = twoAnswers();
    stage.view(layout, options);
    callWith(stage, "three");

    const view = stage.view(layout, options);
    expect(view.epoch).toMatchObject({ isNew: false });
    expect(thoughtsIn(view)).toEqual(["one", "two", "three"]);
  });

  it("loses the thinking behind the first change when a turn begins", () => {
    const stage = twoAnswers();
    stage.say("Well.", signed("three"));
    stage.user("and now?");

    const view = stage.view(layout, cold);
    expect(view.epoch).toMatchObject({ isNew: true, endedBy: "cold", left: ["t1", "t2"] });
    expect(thoughtsIn(view)).toEqual(["one"]);
    expect(textsOf(view)).toContain("Well.");
  });

  it("loses the thinking behind the first change within a turn if the budget requires it", () => {
    const stage = twoAnswers();
    callWith(stage, "three");

    const view = stage.view(layout, { ...bound, budget: 3_000 });
    expect(view.epoch).toMatchObject({ isNew: true, endedBy: "budget" });
    expect(thoughtsIn(view)).toEqual(["one"]);
  });

  it("gets the thinking that it makes after an epoch has ended", () => {
    const stage = twoAnswers();
    callWith(stage, "three");
    stage.view(layout, { ...bound, budget: 3_000 });
    callWith(stage, "four");

    const view = stage.view(layout, { ...bound, budget: 6_000 });
    expect(view.epoch).toMatchObject({ isNew: false });
    expect(thoughtsIn(view)).toEqual(["one", "four"]);
  });

  it("gets no thinking that was made after other messages than those of a view", () => {
    const stage = twoAnswers();
    stage.say("First.", signed("three"));
    stage.say("Second.", signed("four"));

    const view = stage.view(layout, bound);
    expect(view.epoch).toMatchObject({ isNew: false });
    expect(thoughtsIn(view)).toEqual(["one", "two", "three"]);
    expect(textsOf(view)).toContain("Second.");
  });

  it("gets no thinking of an answer to another view", () => {
    const stage = twoAnswers();
    stage.say("Well.", signed("three"));

    const view = stage.view(layout, { ...bound, lastCall: 1 });
    expect(thoughtsIn(view)).toEqual(["one", "two"]);
  });

  it.each<readonly [string, StageOptions]>([
    ["another model", { liveness: nothingUsed }],
    ["another system prompt", { ...bound, head: "b" }],
  ])("gets no thinking of calls with %s", (_, before) => {
    const stage = twoAnswers(before);
    stage.say("Well.", signed("three"));

    const view = stage.view(layout, bound);
    expect(view.epoch).toMatchObject({ isNew: true, endedBy: "thinking" });
    expect(thoughtsIn(view)).toEqual([]);
  });

  it("keeps its newest thinking if only what follows does not fit", () => {
    const stage = viewStage("go on");
    stage.view(layout, { ...bound, budget: 400 });
    callWith(stage, "one");

    const view = stage.view(layout, { ...bound, budget: 400 });
    expect(view.epoch).toMatchObject({ isNew: true, endedBy: "budget" });
    expect(thoughtsIn(view)).toEqual(["one"]);
  });

  it("keeps its thinking if messages are left out that no view has shown", () => {
    const stage = viewStage("go on");
    stage.file("f1", lines(40));
    stage.activate("f1");
    stage.view(layout, bound);
    callWith(stage, "one");
    const last = stage.view(layout, bound);
    stage.deactivate("f1");
    stage.user("next");
    stage.say("lost");
    stage.user("go on");

    const view = stage.view(layout, { ...bound, leftOut: ["1"] });
    expect(thoughtsIn(view)).toEqual(["one"]);
    expect(view.epoch?.sharedTokens).toBe(last.epoch?.promptTokens);
  });

  it("gets no thinking behind a message that is left out, also not the newest", () => {
    const stage = twoAnswers();
    stage.say("Well.", signed("three"));

    const view = stage.view(layout, { ...bound, leftOut: ["0.1"] });
    expect(view.epoch).toMatchObject({ isNew: false });
    expect(thoughtsIn(view)).toEqual(["one"]);
    expect(textsOf(view)).toContain("Well.");
  });

  it("ends no epoch for thinking of another model in a message that is left out now", () => {
    const stage = viewStage("go on");
    stage.view(layout, { liveness: nothingUsed });
    callWith(stage, "one");
    stage.view(layout, { liveness: nothingUsed });

    const view = stage.view(layout, { ...bound, leftOut: ["0.0"] });
    expect(view.epoch).toMatchObject({ isNew: false });
  });

  it("gets no redacted thinking behind a change, and no answer without content", () => {
    const stage = twoAnswers();
    stage.say("", { type: "redacted_thinking", data: "secret" });
    stage.user("and now?");

    const view = stage.view(layout, cold);
    expect(thoughtsIn(view)).toEqual(["one"]);
    expect(textsOf(view)).not.toContain("");
    expect(view.messages.at(-2)?.role).toBe("toolResult");
  });

  it("keeps the thinking before the point that the user goes back to", () => {
    const { liveness: _, ...used } = bound;
    const stage = viewStage("go on");
    stage.view(layout, used);
    stage.say("Well.", signed("one"));
    stage.user("and now?");
    stage.view(layout, used);
    stage.say("So.", signed("two"));
    stage.goBack();
    stage.user("or rather?");

    expect(thoughtsIn(stage.view(layout, used))).toEqual(["one"]);
  });

  it("counts the lost thinking as a part of the rewrite cost", () => {
    const uncached = { ...bound, cache: { ...warm, read: 1, write: 1 } };
    const [withLoss = 0, withoutLoss] = [uncached, { ...uncached, thinking: "free" as const }].map(
      (options) => {
        const stage = twoAnswers(options);
        stage.say("Well.", { ...signed("three"), thinking: lines(50) });
        return stage.view(layout, options).epoch?.rewrite;
      },
    );

    expect(withLoss).toBeGreaterThan(250);
    expect(withoutLoss).toBe(0);
  });
});

test("a model that does not bind keeps its thinking when an epoch ends", () => {
  const free = { ...cold, thinking: "free" } as const;
  const stage = twoAnswers({ liveness: nothingUsed });
  stage.user("and now?");

  const view = stage.view(layout, free);
  expect(view.epoch).toMatchObject({ isNew: true, endedBy: "cold" });
  expect(thoughtsIn(view)).toEqual(["one", "two"]);
});

test("large arguments leave together with the thinking beside them", () => {
  const stage = viewStage("go on");
  stage.view(layout, bound);
  const content = lines(200);
  stage.file("f1", content, "agent");
  stage.call("write", { path: "f1.ts", content }, "Done.", { file: "f1", thinking: signed("one") });
  stage.view(layout, bound);
  callWith(stage, "two");

  const view = stage.view(layout, { ...bound, budget: 1_800 });
  expect(JSON.stringify(view.messages)).toContain("characters, now in f1 v1]");
  expect(thoughtsIn(view)).toEqual([]);
});

test("the pooled layout shows no thinking to a model that binds it", () => {
  const stage = twoAnswers();
  const view = stage.view(pooledLayout, bound);

  expect(thoughtsIn(view)).toEqual([]);
  expect(thoughtsIn(stage.view(pooledLayout))).toEqual(["one", "two"]);
  expect(pooledLayout.rebuild(view.record, stage.source())).toEqual(view.messages);
});
