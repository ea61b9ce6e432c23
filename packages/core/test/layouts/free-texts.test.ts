import type { JsonObject } from "@self-context-manager/objects";
import { describe, expect, it, test } from "vitest";
import type { Block } from "../../src/chat/message.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { EpochInput, LayoutOutput, Liveness } from "../../src/view/layout.ts";
import {
  lines,
  nothingUsed,
  resultOf,
  type ViewStage,
  viewAfterPause,
  viewStage,
} from "./view-stage.ts";

const layout = epochLayout({ folds: undefined });
const old = "an old line of the file\n".repeat(10);
const edit: JsonObject = { path: "f1.ts", oldText: old, newText: "a new line of the file\n" };
const leftOut = `[${old.length} characters left out]`;

/** Returns the arguments of a call in a view. */
function argumentsOf({ messages }: LayoutOutput, handle: string): JsonObject | undefined {
  const id = `call_${handle.slice(1)}`;
  for (const message of messages)
    if (message.role === "assistant")
      for (const block of message.content)
        if (block["id"] === id) return block["arguments"] as JsonObject;
  return undefined;
}

/** Adds an output that leaves when the next epoch ends. */
function addContent(stage: ViewStage): string {
  return stage.call("bash", { command: "test" }, lines(200));
}

/** Adds calls with short arguments and outputs. */
function addCalls(stage: ViewStage, count: number): void {
  for (let index = 0; index < count; index += 1)
    stage.call("bash", { command: `echo ${index}` }, "ok");
}

describe("the old text of an edit", () => {
  test.each([
    [3, old],
    [4, leftOut],
  ])("with %i newer answers is shown so after an epoch's end", (count, shown) => {
    const stage = viewStage("go");
    addContent(stage);
    const call = stage.call("edit", edit, "done");
    addCalls(stage, count);

    expect(argumentsOf(stage.view(layout), call)).toEqual(edit);
    const view = viewAfterPause(stage, layout);
    expect(view.epoch).toMatchObject({ isNew: true, left: ["t1"] });
    expect(argumentsOf(view, call)).toEqual({ ...edit, oldText: shown });
  });

  it("stays before the first removed content", () => {
    const stage = viewStage("go");
    const before = stage.call("edit", edit, "done");
    addContent(stage);
    const behind = stage.call("edit", edit, "done");
    addCalls(stage, 4);
    stage.view(layout);

    const view = viewAfterPause(stage, layout);
    expect(argumentsOf(view, before)).toEqual(edit);
    expect(argumentsOf(view, behind)).toMatchObject({ oldText: leftOut });
  });

  it("ends no epoch, and makes no place for a cache breakpoint", () => {
    const stages = [old, "short"].map((oldText) => {
      const stage = viewStage("go");
      stage.call("edit", { ...edit, oldText }, "done");
      addCalls(stage, 6);
      stage.view(layout);
      return viewAfterPause(stage, layout);
    });

    expect(stages[0]?.epoch).toMatchObject({ isNew: false, deadTokens: 0 });
    expect(stages[0]?.boundaries).toEqual(stages[1]?.boundaries);
  });

  it("makes the rewrite cheaper", () => {
    const rewrites = [3, undefined].map((replacedTexts) => {
      const made = epochLayout({ folds: undefined, replacedTexts });
      const stage = viewStage("go");
      const content = addContent(stage);
      stage.call("edit", edit, "done");
      addCalls(stage, 6);
      stage.view(made);
      stage.deactivate(content);
      return stage.view(made, { liveness: nothingUsed }).epoch?.rewrite ?? 0;
    });

    expect(rewrites[0]).toBeGreaterThan(0);
    expect(rewrites[0]).toBeLessThan((rewrites[1] ?? 0) - 40);
  });

  it("stays while the view needs the call to show the newest version of its file", () => {
    const stage = viewStage("go");
    stage.file("f1", old);
    stage.read("f1");
    stage.view(layout);
    const content = addContent(stage);
    stage.file("f1", "a new line of the file\n", "agent");
    const call = stage.call("edit", edit, "done", { file: "f1" });
    addCalls(stage, 6);
    stage.view(layout);
    const keepsFile = {
      ...nothingUsed,
      stays: ({ key }: { readonly key: string }) => key === "f1",
    };
    stage.deactivate(content);

    const view = viewAfterPause(stage, layout, { liveness: keepsFile });
    expect(view.epoch).toMatchObject({ isNew: true, left: [content] });
    expect(argumentsOf(view, call)).toEqual(edit);
  });

  it("stays if the setting says so", () => {
    const keeping = epochLayout({ folds: undefined, replacedTexts: undefined });
    const stage = viewStage("go");
    addContent(stage);
    const call = stage.call("edit", edit, "done");
    addCalls(stage, 6);
    stage.view(keeping);

    expect(argumentsOf(viewAfterPause(stage, keeping), call)).toEqual(edit);
  });

  it("stays in the present turn beside signed thinking", () => {
    const thinking = { type: "thinking", thinking: "so", thinkingSignature: "sig" };
    const stage = viewStage("go");
    const content = addContent(stage);
    const call = stage.call("edit", edit, "done", { thinking });
    addCalls(stage, 6);
    stage.view(layout);
    const view = viewAfterPause(stage, layout);
    expect(view.epoch).toMatchObject({ isNew: true, left: [content] });
    expect(argumentsOf(view, call)).toEqual(edit);

    addContent(stage);
    stage.user("and now?");
    stage.view(layout);
    expect(argumentsOf(viewAfterPause(stage, layout), call)).toEqual(edit);
  });

  it("leaves before the other large arguments of its call, which can leave later", () => {
    const large = { ...edit, newText: lines(300, "word") };
    const stage = viewStage("go");
    addContent(stage);
    const call = stage.call("edit", large, "done");
    addCalls(stage, 6);
    stage.view(layout);
    const keepsArguments = { keepsArguments: () => true, stays: keepsAll("/args") };

    const first = viewAfterPause(stage, layout, { liveness: keepsArguments });
    expect(argumentsOf(first, call)).toEqual({ ...large, oldText: leftOut });
    const second = viewAfterPause(stage, layout);
    expect(second.epoch).toMatchObject({ isNew: true, left: [`${call}/args`] });
    expect(argumentsOf(second, call)).toEqual({
      path: "f1.ts",
      oldText: leftOut,
      newText: `[${large.newText.length} characters left out]`,
    });
    expect(first.record.entries).toContainEqual(
      expect.objectContaining({ stubs: [{ call: 0, replaced: 120 }] }),
    );
    expect(second.record.entries).toContainEqual(expect.objectContaining({ stubs: [{ call: 0 }] }));
    expect(layout.describe(first.record)).toContainEqual(
      expect.objectContaining({ how: "without the text replaced by call 1" }),
    );
  });
});

/** Returns a decision by which the objects whose key ends so stay. */
function keepsAll(end: string): NonNullable<EpochInput["liveness"]>["stays"] {
  return ({ key }) => key.endsWith(end);
}

describe("long arguments of a call that writes no file", () => {
  const command = lines(100, "echo");
  const shown = `${command.slice(0, 200)}\n[${command.length - 200} characters left out]`;

  test.each([
    [10, command],
    [11, shown],
  ])("with %i newer answers are shown so after an epoch's end", (count, expected) => {
    const stage = viewStage("go");
    addContent(stage);
    const call = stage.call("bash", { command, description: "short" }, "done");
    addCalls(stage, count);
    stage.view(layout);

    const view = viewAfterPause(stage, layout);
    expect(argumentsOf(view, call)).toEqual({ command: expected, description: "short" });
    const how = "without all but the first 200 characters of each long argument of call 1";
    const described = layout.describe(view.record).filter((entry) => entry.how === how);
    expect(described).toHaveLength(expected === command ? 0 : 1);
    expect(layout.rebuild(view.record, stage.source())).toEqual(view.messages);
  });

  test.each<readonly [string, string, JsonObject]>([
    ["of 400 tokens or less", "bash", { command: lines(30, "echo") }],
    ["of a write", "write", { path: "a.ts", content: lines(90) }],
    ["of a context tool", "find_objects", { query: command }],
  ])("stay: those %s", (_, tool, args) => {
    const stage = viewStage("go");
    addContent(stage);
    const call = stage.call(tool, args, "done");
    addCalls(stage, 12);
    stage.view(layout);

    const keepsArguments = { keepsArguments: () => true, stays: keepsAll("/args") };
    const view = viewAfterPause(stage, layout, { liveness: keepsArguments });
    expect(view.epoch).toMatchObject({ isNew: true });
    expect(argumentsOf(view, call)).toEqual(args);
  });
});

describe("the thinking of earlier turns", () => {
  const leaving = epochLayout({ earlierThinking: "leaves" });
  const signed = { type: "thinking", thinking: "signed", thinkingSignature: "sig" };
  const plain = { type: "thinking", thinking: "plain" };
  const redacted = { type: "redacted_thinking", data: "xyz" };

  /** Returns the types of the blocks of each answer in a view. */
  function answersIn({ messages }: LayoutOutput): readonly string[] {
    return messages.flatMap((message) =>
      message.role === "assistant" ? [message.content.map(({ type }) => type).join(" ")] : [],
    );
  }

  /** Two turns with all kinds of thinking in the first and signed thinking in the second. */
  function twoTurns(): ViewStage {
    const stage = viewStage("go");
    stage.call("bash", { command: "test" }, lines(200), { thinking: signed });
    stage.call("bash", { command: "a" }, "ok", { thinking: plain });
    stage.call("bash", { command: "b" }, "ok", { thinking: redacted });
    stage.say("Well.", plain);
    stage.user("and now?");
    stage.call("bash", { command: "c" }, "ok", { thinking: signed });
    return stage;
  }

  it("leaves behind the first removed content", () => {
    const stage = twoTurns();
    stage.view(leaving);

    const view = viewAfterPause(stage, leaving);
    expect(answersIn(view)).toEqual([
      "thinking toolCall",
      "toolCall",
      "toolCall",
      "text",
      "thinking toolCall",
    ]);
    expect(leaving.rebuild(view.record, stage.source())).toEqual(view.messages);
  });

  it("stays by default, and while no epoch ends", () => {
    const whole = [
      "thinking toolCall",
      "thinking toolCall",
      "redacted_thinking toolCall",
      "thinking text",
      "thinking toolCall",
    ];
    const stage = twoTurns();
    stage.view(layout);
    expect(answersIn(viewAfterPause(stage, layout))).toEqual(whole);

    const other = twoTurns();
    other.view(leaving);
    expect(answersIn(other.view(leaving))).toEqual(whole);
  });

  it("takes an answer with it that contains nothing else", () => {
    const stage = viewStage("go");
    addContent(stage);
    stage.say("", plain);
    stage.user("and now?");
    stage.say("Yes.");
    stage.user("good");
    stage.view(leaving);

    expect(answersIn(viewAfterPause(stage, leaving))).toEqual(["toolCall", "text"]);
  });

  it("comes back if its turn is the present one again", () => {
    const stage = twoTurns();
    stage.view(leaving);
    viewAfterPause(stage, leaving);
    stage.goBack();

    const view = stage.view(leaving);
    expect(view.epoch).toMatchObject({ isNew: true, endedBy: "budget" });
    expect(answersIn(view)[1]).toBe("thinking toolCall");
  });

  it("stays of a turn whose last answer has calls, because its results are still unanswered", () => {
    const stage = viewStage("go");
    stage.call("bash", { command: "test" }, lines(200), { thinking: signed });
    stage.say("Well.", plain);
    stage.user("and now?");
    stage.call("bash", { command: "a" }, "ok", { thinking: signed });
    stage.user("be short");
    stage.view(leaving);

    expect(answersIn(viewAfterPause(stage, leaving))).toEqual([
      "thinking toolCall",
      "text",
      "thinking toolCall",
    ]);
  });

  it.each<[string, Block]>([
    [
      "in the form of Pi",
      { type: "thinking", thinking: "", thinkingSignature: '{"type":"reasoning","id":"rs_1"}' },
    ],
    [
      "in the form of the AI SDK",
      {
        type: "thinking",
        thinking: "",
        thinkingSignature: "signed",
        providerOptions: { openai: { itemId: "rs_1" } },
      },
    ],
  ])("stays if it is an item that other items of the answer need, %s", (_, item) => {
    const stage = viewStage("go");
    stage.call("bash", { command: "test" }, lines(200), { thinking: signed });
    stage.call("bash", { command: "a" }, "ok", { thinking: item });
    stage.say("Well.", plain);
    stage.user("and now?");
    stage.view(leaving);

    expect(answersIn(viewAfterPause(stage, leaving))).toEqual([
      "thinking toolCall",
      "thinking toolCall",
      "text",
    ]);
  });

  it("leaves no signed thinking behind it if the model binds its thinking", () => {
    const bound = { thinking: "bound", head: "a" } as const;
    const stage = viewStage("go");
    stage.view(leaving, bound);
    const first: Block = { ...signed, thinkingSignature: "first" };
    stage.call("bash", { command: "test" }, lines(200), { thinking: first });
    stage.view(leaving, bound);
    stage.call("bash", { command: "a" }, "ok", { thinking: signed });
    stage.view(leaving, bound);
    stage.say("Well.", plain);
    stage.user("and now?");

    const view = viewAfterPause(stage, leaving, bound);
    expect(view.epoch).toMatchObject({ isNew: true });
    expect(answersIn(view)).toEqual(["thinking toolCall", "toolCall", "text"]);
  });
});

describe("the middle of a long output that was shown whole", () => {
  const trimming = {
    small: 0,
    trim: { over: 200, head: 40, tail: 20 },
    freshOutputs: "whole",
  } as const;
  const keepsLong: Liveness = { ...nothingUsed, stays: ({ key }) => key === "t2" };
  const longText = lines(400);

  /** Returns the long output at an epoch's end, after the model has answered it. */
  function atAnEnd(
    activation: Parameters<ViewStage["activate"]>[1],
    blocks: readonly Block[] = [],
  ): string {
    const made = epochLayout(trimming);
    const stage = viewStage("go");
    addContent(stage);
    const long = stage.call("bash", { command: "build" }, longText, { blocks });
    stage.activate(long, activation);
    stage.view(made);
    stage.say("It is built.");
    return resultOf(viewAfterPause(stage, made, { liveness: keepsLong }), long);
  }

  it("leaves when an epoch ends", () => {
    expect(atAnEnd({}).length).toBeLessThan(600);
  });

  test.each([
    ["is pinned", { isPinned: true }, []],
    ["was asked for", { isAsked: true }, []],
    ["has an image", {}, [{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }]],
  ] as const)("stays if the output %s", (_, activation, blocks) => {
    expect(atAnEnd(activation, blocks)).toContain(longText);
  });

  it("makes the rewrite cheaper, and ends no epoch", () => {
    const [shorter, whole] = [trimming, { ...trimming, trim: undefined }].map((settings) => {
      const made = epochLayout(settings);
      const stage = viewStage("go");
      const content = addContent(stage);
      stage.call("bash", { command: "build" }, longText);
      stage.view(made);
      stage.say("It is built.");
      const kept = stage.view(made, { liveness: keepsLong }).epoch?.isNew;
      stage.deactivate(content);
      return { kept, rewrite: stage.view(made, { liveness: keepsLong }).epoch?.rewrite ?? 0 };
    });

    expect(shorter).toMatchObject({ kept: false });
    expect(shorter?.rewrite).toBeGreaterThan(0);
    expect(shorter?.rewrite).toBeLessThan((whole?.rewrite ?? 0) - 1_000);
  });
});
