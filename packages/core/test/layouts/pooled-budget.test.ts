import { describe, expect, it } from "vitest";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import { lines, textsOf, viewStage } from "./view-stage.ts";

describe("a pooled view", () => {
  it("never has a token more than its budget", () => {
    const stage = viewStage();
    for (let turn = 1; turn <= 12; turn += 1) {
      stage.user(`question ${turn}`);
      stage.say(`answer ${turn}`);
    }
    stage.file("f1", lines(10));
    stage.activate("f1");

    for (let budget = 30; budget <= 300; budget += 1) {
      const { metadata, chat, active } = stage.view(pooledLayout, { budget }).tokens;

      expect(metadata + chat + active).toBeLessThanOrEqual(budget);
    }
  });

  it("has turns again that left for contents when all of it fits well, or when the budget is larger by half", () => {
    const questionsAfter = (next: number, words: number): number => {
      const stage = viewStage();
      for (let turn = 1; turn <= 12; turn += 1) {
        stage.user(`question ${turn}: ${"why ".repeat(words)}`);
        stage.say(`answer ${turn}`);
      }
      stage.file("f1", lines(60));
      stage.activate("f1");
      stage.view(pooledLayout, { budget: 800 });
      stage.deactivate("f1");
      const texts = textsOf(stage.view(pooledLayout, { budget: next }));
      return texts.filter((text) => text.startsWith("question")).length;
    };

    expect([800, 900, 1_100].map((budget) => questionsAfter(budget, 44) === 12)).toEqual([
      false,
      false,
      true,
    ]);
    expect([1_190, 1_200].map((budget) => questionsAfter(budget, 66) === 12)).toEqual([
      false,
      true,
    ]);
  });
});
