import { layoutKinds } from "@self-context-manager/compose";
import { testScale } from "@self-context-manager/store-contract";
import {
  checkSessionHistories,
  type SessionHistory,
  sessionsWith,
} from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import { caseCount } from "../src/case-count.ts";
import { keptMemoryPlace } from "../src/session/history-places.ts";
import { sqlitePlace } from "../src/stores/places.ts";

const runs = caseCount({ long: 2_000, changed: 30, unchanged: 15 });
/** A store on the disk is slower, and the histories do not depend on it. */
const runsOnDisk = caseCount({ long: 400, changed: 8, unchanged: 4 });
const timeout = testScale.isLong ? 3_600_000 : 240_000;

describe.each([
  ["memory", keptMemoryPlace, "epoch", runs],
  ["memory", keptMemoryPlace, "pooled", runs],
  ["sqlite", sqlitePlace, layoutKinds[0], runsOnDisk],
] as const)("sessions on the %s store", (_, createPlace, layout, count) => {
  it(
    `survive any history of their host in the ${layout} layout (SCM_SEED=${testScale.seed})`,
    { timeout },
    async () => {
      await expect(
        checkSessionHistories({ createPlace, openSession: sessionsWith(layout), runs: count }),
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

describe("a session whose user goes back again before the next call", () => {
  const run = {
    type: "run",
    steps: [],
    hasPicture: false,
    hasNote: true,
    breaksOff: true,
  } as const;
  const bare = { ...run, hasNote: false } as const;
  const crash = { type: "crash", commits: 0, isStored: false, lost: 0, run } as const;
  const branch = { type: "branch", isReported: true } as const;

  it.each<readonly [string, SessionHistory["moves"]]>([
    [
      "continues the view of the point to which the user went back first",
      [
        run,
        run,
        { ...crash, commits: 1 },
        { ...branch, prompt: 4 },
        { type: "compact", by: "host" },
        { type: "off", run },
        { type: "off", run: bare },
        { ...branch, prompt: 8 },
        bare,
      ],
    ],
    [
      "gets the report of both, if the host was without the context manager between them",
      [
        { ...crash, run: bare },
        { ...branch, prompt: 0, isReported: false },
        run,
        { type: "return", branch: 0 },
        { type: "off", run },
        { ...branch, prompt: 7, isReported: false },
        { type: "resume" },
        run,
      ],
    ],
  ])("%s", async (_, moves) => {
    await expect(
      checkSessionHistories({
        createPlace: keptMemoryPlace,
        openSession: sessionsWith(),
        runs: 1,
        examples: [{ identifiedBy: "ids", contextWindow: undefined, moves }],
      }),
    ).resolves.toBeUndefined();
  });
});
