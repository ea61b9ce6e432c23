import { describe, expect, it } from "vitest";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import { lines, viewStage } from "./view-stage.ts";

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
});
