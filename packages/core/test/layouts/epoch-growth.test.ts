import { describe, expect, test } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { lines, textsOf, type ViewStage, viewAfterPause, viewStage } from "./view-stage.ts";

const layout = epochLayout({ small: 0 });

describe("a view", () => {
  test("of a chat without a first user message begins with a notice", () => {
    const stage = viewStage();
    stage.say("Hello.");

    expect(textsOf(stage.view(layout))).toEqual([
      "[the chat begins without a user's message]",
      "Hello.",
    ]);
  });

  test("begins with the notice also after the object before its first answer has left", () => {
    const stage = viewStage();
    stage.load("o1", { content: lines(9) });
    stage.activate("o1");
    stage.view(layout);
    stage.call("activate", { id: "o1" }, "o1 is active", { shows: ["o1"] });
    stage.view(layout);
    stage.deactivate("o1");

    expect(textsOf(viewAfterPause(stage, layout))).toEqual([
      "[the chat begins without a user's message]",
      "(toolCall)",
      "o1 is active",
      "[o1 idea 9]",
    ]);
  });
});

describe("a file that changed while it was not active", () => {
  function shownThenInactive(): ViewStage {
    const stage = viewStage("go");
    stage.file("f1", lines(5));
    stage.read("f1");
    stage.view(layout);
    stage.deactivate("f1");
    return stage;
  }

  test("is reported with its old and its new size while its text is in view", () => {
    const stage = shownThenInactive();
    stage.file("f1", lines(6));

    expect(textsOf(stage.view(layout)).at(-1)).toBe(
      "[f1 f1.ts changed, v1 95 chars -> v2 114 chars; read it to see v2]",
    );
  });

  test("is named with its new version by a line when its text has left", () => {
    const stage = shownThenInactive();
    stage.say("done");
    stage.view(epochLayout({ deactivate: "immediate" }));
    stage.file("f1", lines(6));

    expect(textsOf(stage.view(layout)).at(-1)).toBe("[f1 f1.ts 114 v2]");
  });

  test("is not named if the agent itself changed it", () => {
    const stage = shownThenInactive();
    stage.file("f1", lines(6), "agent");

    expect(textsOf(stage.view(layout)).at(-1)).toContain("line 5 of the text");
  });

  test("gets a line only if it is a file: a deactivated output gets none", () => {
    const stage = viewStage("go");
    const command = stage.call("bash", { command: "a" }, lines(5));
    stage.view(layout);
    stage.deactivate(command);
    const before = textsOf(stage.view(layout));

    expect(before.at(-1)).toContain("line 5 of the text");
  });
});
