import { describe, expect, test } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { CacheCost, LayoutOutput, Liveness } from "../../src/view/layout.ts";
import { lines, resultOf, textOf, type ViewStage, viewStage } from "./view-stage.ts";

const settings = { small: 0, largeArguments: 60 };
const layout = epochLayout(settings);
const strict = epochLayout({ ...settings, argumentsBesideSignedThinking: false });
const cold: CacheCost = { read: 0.1, write: 1.25, isCold: true, rewrites: "what-follows" };
const none: Liveness = { keepsArguments: () => false, stays: () => false };

function swept(stage: ViewStage): LayoutOutput {
  return stage.view(layout, { cache: cold, liveness: none });
}

function textsOf({ messages }: LayoutOutput): readonly string[] {
  return messages.map(textOf);
}

describe("a view", () => {
  test("of a chat without a first user message begins with a notice", () => {
    const stage = viewStage();
    stage.say("Hello.");

    expect(textsOf(stage.view(layout))).toEqual([
      "[the chat begins without a user's message]",
      "Hello.",
    ]);
  });

  test("grows by the new messages of the chat and repeats nothing", () => {
    const stage = viewStage();
    stage.user("one");
    stage.view(layout);
    stage.say("first");
    stage.user("two");
    stage.say("second");

    expect(textsOf(stage.view(layout))).toEqual(["one", "first", "two", "second"]);
    expect(textsOf(stage.view(layout))).toEqual(["one", "first", "two", "second"]);
  });

  test("names the pinned objects once, and again after a change", () => {
    const stage = viewStage();
    stage.user("go");
    stage.file("f1", lines(3));
    stage.file("f2", lines(3));
    stage.activate("f2", { isPinned: true });
    stage.activate("f1", { isPinned: true });
    stage.view(layout);
    const same = textsOf(stage.view(layout));
    stage.activate("f1");
    stage.activate("f2");
    const changed = textsOf(stage.view(layout));

    expect(same.filter((text) => text.startsWith("[pinned"))).toEqual(["[pinned: f1, f2]"]);
    expect(changed.at(-1)).toBe("[pinned: none]");
  });
});

describe("a result that arrived after a later message", () => {
  test("replaces the note that there was no result", () => {
    const stage = viewStage();
    stage.user("go");
    const late = stage.callWithoutResult("bash", { command: "a" });
    stage.say("Still running.");
    const before = resultOf(stage.view(layout), late);
    stage.result(late, "done at last\n");

    const view = stage.view(layout);

    expect(before).not.toContain("done");
    expect(resultOf(view, late)).toContain("done at last");
    expect(view.epoch).toMatchObject({ isNew: true, endedBy: "late-result" });
  });
});

describe("a file that changed while it was not active", () => {
  function shownThenInactive(): ViewStage {
    const stage = viewStage();
    stage.user("go");
    stage.file("f1", lines(5));
    stage.activate("f1", { isAsked: true });
    stage.call("read", { path: "f1.ts" }, "read.", { shows: ["f1"] });
    stage.view(layout);
    stage.deactivate("f1");
    return stage;
  }

  test("is named with its new version by a line at the end", () => {
    const stage = shownThenInactive();
    stage.file("f1", lines(6));

    expect(textsOf(stage.view(layout)).at(-1)).toBe(`[f1 f1.ts ${lines(6).length} v2]`);
  });

  test("is not named if the agent itself changed it", () => {
    const stage = shownThenInactive();
    stage.file("f1", lines(6), "agent");

    expect(textsOf(stage.view(layout)).at(-1)).toContain("line 5 of the text");
  });

  test("is named once, by its newest version, after an epoch's end", () => {
    const stage = shownThenInactive();
    stage.say("Well.");
    stage.file("f1", lines(6));
    stage.view(layout);
    stage.file("f1", lines(7));
    stage.view(layout);
    stage.say("Well, well.");

    const texts = textsOf(swept(stage)).filter((text) => text.startsWith("[f1 "));

    expect(texts).toEqual([`[f1 f1.ts ${lines(7).length} v3]`]);
  });

  test("gets a line only if it is a file: a deactivated output gets none", () => {
    const stage = viewStage();
    stage.user("go");
    const command = stage.call("bash", { command: "a" }, lines(5));
    stage.view(layout);
    stage.deactivate(command);
    const before = textsOf(stage.view(layout));

    expect(before.at(-1)).toContain("line 5 of the text");
  });
});

describe("an epoch's end", () => {
  test("names the outputs, files and arguments that left", () => {
    const stage = viewStage();
    stage.user("go");
    const output = stage.call("bash", { command: "a" }, lines(20));
    stage.file("f1", lines(20), "agent");
    stage.call("write", { path: "f1.ts", content: lines(60) }, "written.", { file: "f1" });
    stage.say("Well.");

    const { epoch } = swept(stage);

    expect(epoch?.left).toContain(output);
    expect(epoch?.left).toContain("t2/args");
  });

  test("replaces a diff whose base has left by a line", () => {
    const stage = viewStage();
    stage.user("go");
    stage.file("f1", lines(30));
    stage.activate("f1", { isAsked: true });
    const first = stage.call("read", { path: "f1.ts" }, "read.", { shows: ["f1"] });
    stage.view(layout);
    stage.file("f1", lines(30).replace("line 7 ", "seventh "));
    const second = stage.call("read", { path: "f1.ts" }, "read.", { shows: ["f1"] });
    const before = resultOf(stage.view(layout), second);
    stage.deactivate("f1");
    stage.say("Well.");

    const view = swept(stage);

    expect(before).toMatch(/^f1 f1\.ts v2 replaces v1 above, \+1 -1/u);
    expect(resultOf(view, first)).toMatch(/^\[f1 f1\.ts \d+ v2\]$/u);
    expect(resultOf(view, second)).toMatch(/^\[f1 f1\.ts \d+ v2\]$/u);
  });

  test("shows in full what the newest answer asked for if it was shown above and left", () => {
    const stage = viewStage();
    stage.user("go");
    stage.file("f1", lines(30));
    stage.activate("f1", { isAsked: true });
    stage.call("read", { path: "f1.ts" }, "read.", { shows: ["f1"] });
    stage.view(layout);
    stage.say("Well.");
    stage.user("again");
    const again = stage.call("read", { path: "f1.ts" }, "read.", { shows: ["f1"] });

    expect(resultOf(swept(stage), again)).toMatch(/^f1 f1\.ts v1\n~~~\nline 1 of the text/u);
  });

  test("keeps the arguments of an answer with signed thinking in the current turn", () => {
    const stage = viewStage();
    const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "signed" };
    stage.user("go");
    stage.file("f1", lines(60), "agent");
    const args = { path: "f1.ts", content: lines(60) };
    stage.call("write", args, "written.", { file: "f1", thinking });
    stage.say("Well.");

    const view = stage.view(strict, { cache: cold, liveness: none });

    expect(view.messages[1]).toMatchObject({ content: [thinking, { arguments: args }] });
  });

  test.each([
    ["no signature", { type: "thinking", thinking: "hm", thinkingSignature: "" }],
    ["no thinking", { type: "text", text: "hm", signature: "signed" }],
  ])("removes the arguments of an answer with %s", (_, thinking) => {
    const stage = viewStage();
    stage.user("go");
    stage.file("f1", lines(60), "agent");
    const args = { path: "f1.ts", content: lines(60) };
    stage.call("write", args, "written.", { file: "f1", thinking });
    stage.say("Well.");

    const view = stage.view(strict, { cache: cold, liveness: none });

    expect(view.messages[1]).not.toMatchObject({ content: [thinking, { arguments: args }] });
  });
});

describe("the ends of prompts that are worth a breakpoint", () => {
  test("are before the content that can leave, and at the end", () => {
    const stage = viewStage();
    stage.user("one");
    stage.say("first");
    stage.user("two");
    stage.call("bash", { command: "a" }, lines(40));
    stage.say("second");
    stage.user("three");

    const { boundaries } = stage.view(layout);

    expect(boundaries).toEqual([2, 4, 6]);
  });

  test("are after pinned content, which cannot leave", () => {
    const stage = viewStage();
    stage.user("one");
    const pinned = stage.call("bash", { command: "a" }, lines(40));
    stage.activate(pinned, { isPinned: true });
    stage.say("first");
    stage.user("two");
    stage.call("bash", { command: "b" }, lines(40));

    const { boundaries } = stage.view(layout);

    expect(boundaries?.[0]).toBeGreaterThanOrEqual(2);
  });
});
