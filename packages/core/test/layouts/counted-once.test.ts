import { expect, test } from "vitest";

import type { Turn } from "../../src/chat/turn.ts";
import { calibratedEstimator } from "../../src/cost/calibrated-estimator.ts";
import { everySetting } from "../../src/layouts/epoch/epoch-settings.ts";
import { freeTokens } from "../../src/layouts/epoch/free-texts.ts";
import { type PlanningContext, planningContext } from "../../src/layouts/epoch/planning-context.ts";
import { leavingParts } from "../../src/layouts/epoch/user-entries.ts";
import type { ViewEntry } from "../../src/view/view-entry.ts";

const turns: readonly Turn[] = [
  {
    user: [
      { type: "text", text: "first word ".repeat(4_000) },
      { type: "text", text: "other ".repeat(9_000) },
    ],
    timestamp: null,
    steps: [
      {
        assistant: [
          { type: "thinking", thinking: "signed ".repeat(90), thinkingSignature: "s".repeat(400) },
          { type: "thinking", thinking: "free ".repeat(300) },
          { type: "text", text: "Done." },
        ],
        toolcall_ids: [],
        assistant_meta: {},
      },
    ],
  },
  { user: "go on", timestamp: null, steps: [] },
];

function contextOf(all: readonly Turn[], thinking: "bound" | undefined): PlanningContext {
  const input = {
    turns: all,
    chatHandle: "c1",
    pool: new Map(),
    poolRevision: 0,
    active: [],
    workspace: "/work",
    estimator: calibratedEstimator(),
    ...(thinking === undefined ? {} : { thinking }),
  };
  return planningContext(input, everySetting({}));
}

test("the tokens of thinking that can leave depend on how it is shown and on the model, not on what was counted before", () => {
  const counted: number[] = [];
  for (const model of [undefined, "bound"] as const)
    for (const shown of [undefined, "left-out"] as const) {
      const answer = { type: "assistant", turn: 0, step: 0, tokens: 9 } as const;
      const entries: readonly ViewEntry[] = [
        { type: "user", turn: 0, tokens: 9 },
        shown === undefined ? answer : { ...answer, thinking: shown },
        { type: "user", turn: 1, tokens: 9 },
      ];
      const tokensIn = (all: readonly Turn[]): number =>
        freeTokens(contextOf(all, model), entries, 0, []);
      const tokens = tokensIn(turns);

      expect(tokens).toBe(tokensIn(structuredClone(turns)));
      counted.push(tokens);
    }
  expect(new Set(counted).size).toBeGreaterThan(1);
});

test("each long text of a user message has its own tokens", () => {
  const entry: ViewEntry = {
    type: "user",
    turn: 0,
    tokens: 9,
    parts: [
      { of: "u1", version: 1, block: 0 },
      { of: "u2", version: 1, block: 1 },
    ],
  };
  const [first, other] = leavingParts(contextOf(turns, undefined), entry);

  expect(first?.tokens).toBeGreaterThan(0);
  expect(other?.tokens).not.toBe(first?.tokens);
});
