import type { JsonValue } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { type Block, isToolCall } from "../../src/chat/message.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { EpochSettings } from "../../src/layouts/epoch/epoch-settings.ts";
import type { Layout, LayoutOutput, Liveness } from "../../src/view/layout.ts";
import {
  lines,
  nothingUsed,
  resultOf,
  textsOf,
  viewAfterPause,
  type ViewStage,
  viewStage,
} from "./view-stage.ts";

const settings: Partial<EpochSettings> = {
  small: 0,
  largeArguments: 60,
  share: 0.75,
  shareAtTurn: 0.375,
};
const layout = epochLayout(settings);
const keepingFile: Liveness = { ...nothingUsed, stays: ({ key }) => key === "f1" };

/** Returns the arguments of a call as a view shows them. */
function argumentsIn({ messages }: LayoutOutput, handle: string): JsonValue | undefined {
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? message.content.filter(isToolCall) : [],
  );
  return calls.find(({ id }) => id === `call_${handle.slice(1)}`)?.arguments;
}

describe("an epoch's end", () => {
  it("replaces objects that were not used recently by reference lines", () => {
    const stage = viewStage("go on");
    const output = stage.call("bash", { command: "build" }, lines(20));
    stage.file("f1", lines(10));
    const read = stage.read("f1");
    stage.say("Well.");

    const view = viewAfterPause(stage, layout);
    expect(resultOf(view, output)).toBe("[t1 ok, 391 chars]");
    expect(resultOf(view, read)).toBe(`[f1 f1.ts ${lines(10).length}]`);
    expect(view.epoch).toMatchObject({ isNew: true, endedBy: "cold", left: ["t1", "f1"] });
    expect(view.deactivated).toHaveLength(2);
  });

  it("gives lines in results the newest version of their objects", () => {
    const stage = viewStage("go on");
    const gone = stage.call("bash", { command: "a" }, lines(20));
    stage.file("f1", lines(30));
    const options = { shows: ["f1"], file: "f1" };
    const read = stage.call("read", { path: "f1.ts" }, "f1 f1.ts: active, 30 lines.", options);
    const before = stage.view(layout);
    stage.file("f1", lines(31));
    stage.say("Well.");

    const view = viewAfterPause(stage, layout);

    expect(resultOf(before, read)).toBe("[f1 f1.ts 591]");
    expect(resultOf(view, gone)).toBe("[t1 ok, 391 chars]");
    expect(textsOf(view).filter((text) => text.startsWith("[f1 "))).toEqual(["[f1 f1.ts 611 v2]"]);
  });

  it("keeps a content outside results that is as short as its line, as was reported", () => {
    const sized = epochLayout({ ...settings, small: 20 });
    const stage = viewStage("go on");
    const gone = stage.call("bash", { command: "a" }, lines(20));
    stage.file("f1", "x\n");
    stage.activate("f1");
    const { record } = stage.view(sized);
    stage.say("Well.");
    stage.deactivate("f1");

    const view = viewAfterPause(stage, sized);

    expect(sized.departureOf?.(record, "f1", [])).toMatchObject({ when: "never" });
    expect(resultOf(view, gone)).toBe("[t1 ok, 391 chars]");
    expect(textsOf(view)).toContain("f1 f1.ts v1\n~~~\nx\n~~~");
  });

  it("keeps the objects that the newest answer asked for and pinned objects", () => {
    const stage = viewStage("go on");
    const pinned = stage.call("bash", { command: "a" }, lines(20));
    stage.activate(pinned, { isPinned: true });
    const old = stage.call("bash", { command: "b" }, lines(20));
    const newest = stage.call("bash", { command: "c" }, lines(20));

    const view = viewAfterPause(stage, layout);
    expect(resultOf(view, pinned)).toMatch(/^t1 ok\n~~~/u);
    expect(resultOf(view, old)).toBe("[t2 ok, 391 chars]");
    expect(resultOf(view, newest)).toMatch(/^t3 ok\n~~~/u);
  });

  it("shows an object that stays once, in its newest version", () => {
    const stage = viewStage("go on");
    stage.file("f1", lines(30));
    stage.activate("f1");
    const gone = stage.call("bash", { command: "a" }, lines(20));
    stage.view(layout);
    stage.say("Well.");
    stage.file("f1", lines(30).replace("line 15 ", "LINE 15 "));
    stage.view(layout);
    stage.say("Well.");

    const view = viewAfterPause(stage, layout, { liveness: keepingFile });
    expect(resultOf(view, gone)).toBe("[t1 ok, 391 chars]");
    const shown = textsOf(view).filter((text) => text.startsWith("f1 "));
    expect(shown).toEqual([`f1 f1.ts v2\n~~~\n${lines(30).replace("line 15 ", "LINE 15 ")}~~~`]);
  });

  it("shows a file that has changed below the results that asked for it", () => {
    const stage = viewStage("go on");
    const gone = stage.call("bash", { command: "a" }, lines(20));
    stage.file("f1", lines(30));
    stage.read("f1");
    const again = stage.call("pin", { id: "f1" }, "f1 is pinned.", { shows: ["f1"] });
    stage.view(layout);
    stage.say("Well.");
    stage.file("f1", lines(31), "agent");
    stage.call("edit", { path: "f1.ts", edits: [] }, "Done.", { file: "f1" });
    stage.view(layout);
    stage.say("Well.");

    const view = viewAfterPause(stage, layout, { liveness: keepingFile });
    expect(resultOf(view, gone)).toBe("[t1 ok, 391 chars]");
    expect(resultOf(view, again)).toBe("[f1 f1.ts 611 v2]");
    expect(textsOf(view).at(-1)).toMatch(/^f1 f1\.ts v2\n/u);
  });

  it("shows an object again if the call that asked for it removes its text above", () => {
    const stage = viewStage("go on");
    const output = stage.call("bash", { command: "build" }, lines(20));
    stage.view(layout);
    stage.activate(output, { isAsked: true });
    const again = stage.call("activate", { id: output }, "t1 is active.", { shows: [output] });

    const view = viewAfterPause(stage, layout);
    expect(resultOf(view, output)).toBe("[t1 ok, 391 chars]");
    expect(resultOf(view, again)).toBe(`t1 ok\n~~~\n${lines(20)}~~~`);
    expect(view.deactivated).toEqual([]);
  });
});

describe("a diff whose base has left the view", () => {
  it("is replaced by a line", () => {
    const stage = viewStage("go");
    stage.file("f1", lines(30));
    const first = stage.read("f1");
    stage.view(layout);
    stage.file("f1", lines(30).replace("line 7 ", "seventh "));
    const second = stage.read("f1");
    const before = resultOf(stage.view(layout), second);
    stage.deactivate("f1");
    stage.say("Well.");

    const view = viewAfterPause(stage, layout);

    expect(before).toMatch(/^f1 f1\.ts v2 replaces v1 above, \+1 -1/u);
    expect(resultOf(view, first)).toMatch(/^\[f1 f1\.ts \d+ v2\]$/u);
    expect(resultOf(view, second)).toMatch(/^\[f1 f1\.ts \d+ v2\]$/u);
  });
});

describe("appended lines", () => {
  it("are one for each file after an end, and none if a result names the same version", () => {
    const stage = viewStage("go on");
    stage.file("f1", lines(10));
    stage.activate("f1", { isAsked: true });
    const output = stage.call("bash", { command: "build" }, lines(20));
    const read = stage.call("read", { path: "f1.ts" }, "read.", { shows: ["f1"] });
    stage.view(layout);
    stage.deactivate("f1");
    for (const count of [11, 12]) {
      stage.file("f1", lines(count));
      stage.say("Well.");
      stage.view(layout);
    }
    stage.say("Well.");

    const before = textsOf(stage.view(layout));
    expect(before.filter((text) => text.startsWith("[f1 "))).toHaveLength(2);
    const view = viewAfterPause(stage, layout);
    expect(resultOf(view, output)).toBe("[t1 ok, 391 chars]");
    const line = `[f1 f1.ts ${lines(12).length} v3]`;
    expect(resultOf(view, read)).toBe(line);
    expect(textsOf(view).filter((text) => text.startsWith("[f1 "))).toEqual([line]);
  });
});

describe("the notice of pinned objects", () => {
  const pinnedNotices = (view: LayoutOutput): readonly string[] =>
    textsOf(view).filter((text) => text.startsWith("[pinned"));

  it("names them in order, once, again after a change, and only in its newest form after an end", () => {
    const stage = viewStage("go on");
    const one = stage.call("bash", { command: "a" }, lines(20));
    const other = stage.call("bash", { command: "b" }, lines(20));
    expect(pinnedNotices(stage.view(layout))).toEqual([]);

    stage.activate(other, { isPinned: true });
    expect(pinnedNotices(stage.view(layout))).toEqual(["[pinned: t2]"]);
    stage.say("Well.");
    expect(pinnedNotices(stage.view(layout))).toEqual(["[pinned: t2]"]);
    stage.activate(other);
    expect(pinnedNotices(stage.view(layout))).toEqual(["[pinned: t2]", "[pinned: none]"]);
    // Activated in the order t2, t1.
    stage.deactivate(one);
    stage.activate(other, { isPinned: true });
    stage.activate(one, { isPinned: true });
    expect(pinnedNotices(stage.view(layout)).at(-1)).toBe("[pinned: t1, t2]");
    stage.activate(other);
    stage.say("Well.");
    const view = viewAfterPause(stage, layout);
    expect(resultOf(view, other)).toBe("[t2 ok, 391 chars]");
    expect(pinnedNotices(view)).toEqual(["[pinned: t1]"]);
  });
});

describe("a replaced version", () => {
  const atOnce = epochLayout({ ...settings, superseded: "at-once" });

  it.each(["agent", "human"] as const)("leaves at once if configured, for one by the %s", (by) => {
    const stage = viewStage("go on");
    stage.file("f1", lines(30));
    const read = stage.read("f1");
    stage.view(atOnce);
    const text = lines(30).replace("line 15 ", "LINE 15 ");
    stage.file("f1", text, by);
    const args = { path: "f1.ts", oldText: "line 15 ", newText: "LINE 15 " };
    stage.call("edit", args, "Done.", { file: "f1" });

    const view = stage.view(atOnce);
    expect(view.epoch).toMatchObject({ isNew: true, endedBy: "carried" });
    expect(resultOf(view, read)).not.toContain("line 15 ");
    const shown = textsOf(view).filter((one) => one.startsWith("f1 "));
    expect(shown).toEqual([`f1 f1.ts v2\n~~~\n${text}~~~`]);
    stage.say("Well.");
    expect(stage.view(atOnce).epoch).toMatchObject({ isNew: false });
  });

  it("leaves at once if only lines of it were shown", () => {
    const stage = viewStage("go on");
    stage.file("f1", lines(30));
    stage.activate("f1", { isAsked: true, ranges: [{ from: 1, to: 5 }] });
    const read = stage.call("activate", { id: "f1" }, "shown.", { shows: ["f1"] });
    stage.view(atOnce);
    stage.say("Well.");
    stage.file("f1", lines(30, "LINE"));

    const view = stage.view(atOnce);
    expect(view.epoch).toMatchObject({ isNew: true });
    expect(resultOf(view, read)).not.toContain("line 1 ");
    expect(textsOf(view).join("\n")).toContain("LINE 5 ");
  });
});

describe("large arguments", () => {
  const content = lines(30);
  const stub = `[${content.length} characters, now in f1 v1]`;
  const signed: Block = { type: "thinking", thinking: "so", thinkingSignature: "sig" };

  /** A turn in which an answer with this block has written a file by the call t1. */
  function written(thinking = signed): ViewStage {
    const stage = viewStage("go on");
    stage.file("f1", content, "agent");
    stage.call("write", { path: "f1.ts", content }, "Done.", { file: "f1", thinking });
    stage.say("Well.");
    return stage;
  }

  it("become an argument stub that names the file", () => {
    const stage = written();
    stage.user("and now?");

    const view = viewAfterPause(stage, layout);
    expect(argumentsIn(view, "t1")).toEqual({ path: "f1.ts", content: stub });
    expect(view.epoch?.left).toContain("t1/args");
  });

  it("stay beside signed thinking of the present turn", () => {
    const view = viewAfterPause(written(), layout);

    expect(argumentsIn(view, "t1")).toEqual({ path: "f1.ts", content });
  });

  it.each<readonly [string, Block]>([
    ["no signature", { type: "thinking", thinking: "hm", thinkingSignature: "" }],
    ["no thinking", { type: "text", text: "hm", signature: "signed" }],
  ])("leave an answer of the present turn with %s", (_, block) => {
    const view = viewAfterPause(written(block), layout);

    expect(argumentsIn(view, "t1")).toMatchObject({ content: stub });
  });

  it.each<readonly [string, Layout, Liveness]>([
    ["were used recently", layout, { keepsArguments: () => true, stays: () => true }],
    ["are small", epochLayout({ ...settings, largeArguments: 10_000 }), nothingUsed],
    [
      "are configured to stay",
      epochLayout({ ...settings, largeArguments: undefined }),
      nothingUsed,
    ],
  ])("stay if they %s", (_, by, liveness) => {
    const stage = written();
    stage.user("and now?");

    const view = viewAfterPause(stage, by, { liveness });
    expect(argumentsIn(view, "t1")).toEqual({ path: "f1.ts", content });
  });

  it("show the file that they made when they leave", () => {
    const stage = viewStage("go on");
    stage.file("f1", lines(5));
    stage.activate("f1", { isPinned: true });
    stage.view(layout);
    stage.file("f1", content, "agent");
    stage.call("write", { path: "f1.ts", content }, "Done.", { file: "f1" });
    stage.say("Well.");
    stage.user("and now?");

    const view = viewAfterPause(stage, layout);
    const shown = textsOf(view).filter((text) => text.startsWith("f1 f1.ts v2\n"));
    expect(shown).toEqual([`f1 f1.ts v2\n~~~\n${content}~~~`]);
  });
});

/** A policy by which everything that is active stays. */
const everything: Liveness = { keepsArguments: () => true, stays: () => true };

/** A layout that waits longer with contents that were not used than with deactivated ones. */
const patient = epochLayout({ ...settings, share: 3, shareAtTurn: 1.5 });

describe("when an epoch ends", () => {
  it("is when the carried cost reaches its share of the rewrite cost", () => {
    const stage = viewStage("go on");
    const dead = stage.call("bash", { command: "a" }, lines(40));
    stage.call("bash", { command: "b" }, lines(40));
    const first = stage.view(layout);
    stage.deactivate(dead);

    const views = Array.from({ length: 20 }, () => {
      stage.say("Well.");
      return stage.view(layout).epoch;
    });
    const end = views.findIndex((epoch) => epoch?.isNew);
    const before = views[end - 1];
    expect(first.epoch).toMatchObject({ number: 1, isNew: false, deadTokens: 0, carried: 0 });
    expect(views[end]).toMatchObject({ number: 2, calls: 1, endedBy: "carried", left: ["t1"] });
    // Reading costs 0.1 per token and call; the rewrite costs 1.15 per token that follows.
    const { deadTokens = 0, carried = 0, rewrite = 0 } = before ?? {};
    expect(carried).toBeCloseTo(0.1 * deadTokens * (end - 1));
    expect(carried).toBeLessThan(0.75 * rewrite);
    expect(carried + 0.1 * deadTokens).toBeGreaterThanOrEqual(0.75 * rewrite - 5);
  });

  it("counts what a part costs from its own death on, also if a message before it is left out", () => {
    const stage = viewStage("go on");
    const first = stage.call("bash", { command: "a" }, lines(20));
    const second = stage.call("bash", { command: "b" }, lines(20));
    stage.view(layout);
    stage.deactivate(first);
    stage.view(layout);
    const costly = stage.view(layout);
    stage.deactivate(second);
    stage.say("Well.");

    const view = stage.view(layout, { leftOut: ["0.0"] });

    expect(costly.epoch?.carried).toBeGreaterThan(0);
    expect(view.epoch).toMatchObject({ isNew: false, carried: 0 });
    expect(view.epoch?.deadTokens).toBeGreaterThan(0);
  });

  it("is earlier for a content that was deactivated than for one that was not used", () => {
    const ends = [false, true].map((isDeactivated) => {
      const stage = viewStage("go on");
      const dead = stage.call("bash", { command: "a" }, lines(40));
      stage.call("bash", { command: "b" }, lines(40));
      stage.view(patient);
      stage.deactivate(dead);
      const liveness = {
        ...everything,
        isDeactivated: (key: string) => isDeactivated && key === dead,
      };
      const ended = Array.from({ length: 80 }, () => {
        stage.say("Well.");
        return stage.view(patient, { liveness }).epoch?.isNew;
      });
      return ended.includes(true) ? ended.indexOf(true) : ended.length;
    });

    const [unused = 0, deactivated = 0] = ends;
    expect(deactivated).toBeGreaterThan(0);
    expect(unused).toBeGreaterThan(2 * deactivated);
  });

  it("is earlier at the first call of a turn", () => {
    const ends = [false, true].map((isTurn) => {
      const stage = viewStage("go on");
      const dead = stage.call("bash", { command: "a" }, lines(40));
      stage.call("bash", { command: "b" }, lines(40));
      stage.view(layout);
      stage.deactivate(dead);
      return Array.from({ length: 20 }, () => {
        if (isTurn) stage.user("go on");
        else stage.say("Well.");
        return stage.view(layout).epoch?.isNew;
      }).indexOf(true);
    });

    expect(ends[1]).toBeLessThan(ends[0] ?? 0);
  });

  it("is at once if it is configured, and never without dead content", () => {
    const immediate = epochLayout({ ...settings, deactivate: "immediate" });
    const stage = viewStage("go on");
    const dead = stage.call("bash", { command: "a" }, lines(40));
    stage.view(immediate);
    stage.say("Well.");
    const quiet = stage.view(immediate);
    stage.deactivate(dead);
    stage.say("Well.");

    expect(quiet.epoch?.isNew).toBe(false);
    expect(stage.view(immediate).epoch).toMatchObject({ isNew: true, left: ["t1"] });
  });

  it("is at once also for a short output", () => {
    const immediate = epochLayout({ small: 50, deactivate: "immediate" });
    const stage = viewStage("go on");
    const dead = stage.call("bash", { command: "a" }, "PORT=8080\n");
    const { record } = stage.view(immediate);
    stage.deactivate(dead);
    const departure = immediate.departureOf?.(record, "t1", []);
    stage.say("Well.");
    const next = stage.view(immediate);

    expect(departure).toEqual({ when: "next-call" });
    expect(next.epoch).toMatchObject({ isNew: true, left: ["t1"] });
    expect(textsOf(next).join("\n")).toContain("[t1 ok, 10 chars]");
    expect(textsOf(next).join("\n")).not.toContain("PORT=8080");
  });

  it("is never because of a cold cache if nothing can leave", () => {
    const stage = viewStage("go on");
    stage.say("Well.");
    stage.view(layout);
    stage.say("Well.");

    expect(viewAfterPause(stage, layout).epoch?.isNew).toBe(false);
  });
});
