import { layoutKinds } from "@self-context-manager/compose";
import {
  checkSessionHistories,
  type SessionHistory,
  testScale,
} from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import { historyFaults } from "../src/session/history-faults.ts";
import { keptMemoryPlace, sessionsWith } from "../src/session/history-places.ts";
import { sqlitePlace } from "../src/stores/places.ts";

const runs = testScale.isLong ? 5_000 : 300;
const timeout = testScale.isLong ? 3_600_000 : 180_000;

describe.each([
  ["memory", keptMemoryPlace, "epoch"],
  ["memory", keptMemoryPlace, "pooled"],
  ["sqlite", sqlitePlace, layoutKinds[0]],
] as const)("sessions on the %s store", (_, createPlace, layout) => {
  it(
    `survive any history of their host in the ${layout} layout (SCM_SEED=${testScale.seed})`,
    { timeout },
    async () => {
      await expect(
        checkSessionHistories({ createPlace, openSession: sessionsWith(layout), runs }),
      ).resolves.toBeUndefined();
    },
  );
});

describe("a session that is opened again has the sets of the point that the host went back to", () => {
  const bare = { hasPicture: false, hasNote: false, breaksOff: false };
  const activates = { type: "context", tool: "activate", target: "a.txt" } as const;
  const calls = [
    { tool: "read", file: "a.txt" },
    { tool: "write", file: "a.txt" },
  ] as const;
  const crash = { type: "crash", commits: 0, isStored: false, lost: 0 } as const;
  const replay = { type: "replay" } as const;
  const begin: SessionHistory["moves"] = [
    { ...crash, run: { type: "run", steps: [activates], ...bare } },
    replay,
    { type: "run", steps: [{ type: "tools", calls }], ...bare },
    { type: "branch", prompt: 1, isReported: true },
  ];
  const end: SessionHistory["moves"] = [replay, { type: "run", steps: [], ...bare }];

  it.each<readonly [string, SessionHistory["moves"]]>([
    ["after a restart", [{ type: "resume" }]],
    [
      "after another session",
      [
        { type: "fork", prompt: 0 },
        { type: "switch", session: 0 },
      ],
    ],
  ])("%s", async (_, moves) => {
    const history = { identifiedBy: "ids", contextWindow: undefined } as const;

    await expect(
      checkSessionHistories({
        createPlace: keptMemoryPlace,
        openSession: sessionsWith(),
        runs: 1,
        examples: [{ ...history, moves: [...begin, ...moves, ...end] }],
      }),
    ).resolves.toBeUndefined();
  });
});

describe("a check of histories detects a session that", () => {
  it.each(Object.entries(historyFaults))("%s", { timeout }, async (_, fault) => {
    const { says, ...parts } = { openSession: sessionsWith(), ...fault };

    await expect(
      checkSessionHistories({ createPlace: keptMemoryPlace, runs: 300, ...parts }),
    ).rejects.toThrow(
      expect.objectContaining({
        cause: expect.objectContaining({ message: expect.stringMatching(says) }),
      }),
    );
  });
});
