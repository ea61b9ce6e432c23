import { testScale } from "@self-context-manager/store-contract";
import {
  checkListChanges,
  type ListChange,
  type ListChanges,
  type ListedMessages,
  type ListRound,
  scriptedCodecs,
  sessionsWith,
} from "@self-context-manager/testkit";
import { layoutKinds } from "@self-context-manager/compose";
import { describe, expect, it } from "vitest";

import { caseCount } from "../src/case-count.ts";
import { piLists, scriptedLists } from "../src/codec/subjects.ts";
import { keptMemoryPlace } from "../src/session/history-places.ts";
import { sqlitePlace } from "../src/stores/places.ts";

const runs = caseCount({ long: 2_000, changed: 15, unchanged: 8 });
/** A store on the disk is slower, and the lists do not depend on it. */
const runsOnDisk = caseCount({ long: 300, changed: 5, unchanged: 3 });
const timeout = testScale.isLong ? 3_600_000 : 240_000;

/** The parts of a check that do not depend on the host. */
type Tried = Omit<ListChanges<never>, keyof ListedMessages<never>>;

/** Checks by the way in which messages are identified. */
const checks: readonly (readonly [string, (tried: Tried) => Promise<void>])[] = [
  ...Object.entries(scriptedCodecs).map(
    ([name, codec]) =>
      [name, (tried: Tried) => checkListChanges({ ...scriptedLists(codec), ...tried })] as const,
  ),
  ["Pi's codec", (tried) => checkListChanges({ ...piLists, ...tried })],
];

describe.each([
  ["memory", keptMemoryPlace, "epoch", runs],
  ["memory", keptMemoryPlace, "pooled", runs],
  ["sqlite", sqlitePlace, layoutKinds[0], runsOnDisk],
] as const)("a session on the %s store", (_, createPlace, layout, count) => {
  it.each(checks)(
    `follows any list of its host in the ${layout} layout, with messages identified by %s (SCM_SEED=${testScale.seed})`,
    { timeout },
    async (_name, check) => {
      const openSession = sessionsWith(layout);

      await expect(check({ createPlace, openSession, runs: count })).resolves.toBeUndefined();
    },
  );
});

function round(change: ListChange, prompt: string, answer = "ok"): ListRound {
  return { change, prompt, calls: [], answer };
}

const none = { type: "none" } as const;
const reopens = { type: "reopens" } as const;

describe.each(checks)("with messages identified by %s, the newest prompt is shown", (_, check) => {
  it.each<readonly [string, readonly ListRound[]]>([
    [
      "after a list that keeps one message",
      [none, { type: "slides", keeps: 1 } as const, { type: "slides", keeps: 1 } as const].map(
        (change) => round(change, "go"),
      ),
    ],
    [
      "after a list that keeps no message",
      [none, { type: "slides", keeps: 0 } as const].map((change) => round(change, "go")),
    ],
    [
      "after a list that begins again",
      [none, { type: "begins" } as const, none].map((change) => round(change, "go")),
    ],
    [
      "after a restart of the process and of the list",
      [
        round(none, "go"),
        round(none, "go on"),
        round(reopens, "go"),
        round({ type: "begins" }, "go"),
        round(reopens, "go on"),
      ],
    ],
    [
      "after an edit of the first message, whose words come again",
      [
        round(none, "go"),
        round(none, "go on"),
        round({ type: "edits", words: "stop" }, "go"),
        round(none, "go on"),
      ],
    ],
    [
      "after the user went back without a report and said the same",
      [
        round(none, "go", "done"),
        round(none, "go"),
        round({ type: "goes-back", prompt: 1, isReported: false }, "go"),
      ],
    ],
    [
      "after a failed answer, in a list whose words the chat begins with",
      [
        { ...round(none, "go on"), calls: ["A"] },
        { ...round(none, "go"), calls: ["A"] },
        { ...round({ type: "begins" }, "go on"), calls: ["A"] },
        { ...round({ type: "retries", isSeen: true }, "go"), calls: ["A"] },
        round(none, "go"),
      ],
    ],
    [
      "after a list slides to a result that was reported again",
      [
        round({ type: "repeats" }, "go"),
        { ...round({ type: "reports-twice", isEqual: false }, "go"), calls: ["A"] },
        round({ type: "slides", keeps: 2 }, "go"),
        round(none, "go"),
      ],
    ],
    [
      "after going back past calls with the words and ids of an abandoned branch",
      [
        { ...round(none, "go"), calls: ["A", "A"] },
        round({ type: "slides", keeps: 4 }, "go"),
        { ...round(reopens, "go"), calls: ["A", "A"] },
        { ...round({ type: "goes-back", prompt: 3, isReported: true }, "go"), calls: ["A"] },
        round({ type: "goes-back", prompt: 0, isReported: false }, "go"),
        round({ type: "goes-back", prompt: 0, isReported: false }, "go on"),
      ],
    ],
    [
      "in the words of a prompt that was replaced before its answer was seen",
      [
        round(none, "go"),
        round({ type: "is-summarised", keeps: 0, isAnswered: false }, "stop"),
        round({ type: "begins" }, "go"),
        round(none, "go"),
      ],
    ],
    [
      "in the words of a message that an edit replaced",
      [
        round({ type: "inserts", words: "go" }, "go on"),
        round({ type: "edits", words: "stop" }, "go"),
        round({ type: "goes-back", prompt: 0, isReported: true }, "go on"),
        round({ type: "begins" }, "go"),
        round({ type: "inserts", words: "go" }, "go"),
      ],
    ],
    [
      "after going back to a message that another has put before the summary which replaces it",
      [
        round(none, "stop"),
        round(none, "go"),
        { ...round(none, "go"), calls: ["A"] },
        round({ type: "is-compacted" }, "go"),
        round({ type: "inserts", words: "stop" }, "go"),
        round({ type: "goes-back", prompt: 1, isReported: false }, "go on"),
      ],
    ],
  ])("%s", async (_name, some) => {
    await expect(
      check({
        createPlace: keptMemoryPlace,
        openSession: sessionsWith(),
        runs: 1,
        examples: [some],
      }),
    ).resolves.toBeUndefined();
  });
});

describe.each(checks)("with messages identified by %s, a list of an earlier point", (_, check) => {
  it.each(layoutKinds)(
    "ends with a prompt in the words of a text that had replaced its beginning, in the %s layout",
    async (layout) => {
      const some = [
        round(none, "go", "done"),
        round(none, "go"),
        { ...round({ type: "slides", keeps: 0 }, "go on"), calls: ["A"] },
        round({ type: "inserts", words: "go on" }, "go"),
        round({ type: "inserts", words: "go" }, "go", "done"),
        { ...round({ type: "slides", keeps: 1 }, "go on"), calls: ["A"] },
      ];

      await expect(
        check({
          createPlace: keptMemoryPlace,
          openSession: sessionsWith(layout),
          runs: 1,
          examples: [some],
        }),
      ).resolves.toBeUndefined();
    },
  );
});
