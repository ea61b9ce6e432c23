import { runsEveryForm } from "@self-context-manager/store-contract";
import { describe, expect, test } from "vitest";

import {
  type BindingModel,
  rewrittenRequests,
  thinkingCalls,
  thinkingIn,
  thinkingRun,
  type ThinkingRun,
  type ThinkingRunOptions,
} from "../src/caching/thinking-run.ts";
import { besideOthersRun } from "../src/caching/thinking-beside-others.ts";
import { detourCalls, detouredRun } from "../src/caching/thinking-detours.ts";
import { everyPiVersion, type PiVersion, piVersions } from "../src/pi-versions.ts";

const runs = new Map<string, Promise<ThinkingRun>>();

/** Returns a run of the long session, which is made once for all tests that read it. */
async function run(options: ThinkingRunOptions): Promise<ThinkingRun> {
  const key = JSON.stringify(options);
  const known = runs.get(key) ?? thinkingRun(options);
  runs.set(key, known);
  return await known;
}

/** A model that only its name reveals. Pi 0.73 asks for no thinking from it; it thinks all the same. */
const named: BindingModel = { modelId: "claude-opus-5-5" };

/**
 * A model of another name, of which Pi's model data say what they say of Claude Opus 5.5. Pi then asks the provider to
 * drop invalid thinking.
 */
const declared: BindingModel = {
  reasoning: true,
  compat: {
    forceAdaptiveThinking: true,
    supportsMidConvoEffort: true,
    supportsMidConvoSystemMessages: true,
    supportsMidConvoToolChanges: true,
  },
};

interface Case {
  readonly pi: PiVersion;
  readonly model: BindingModel;
  readonly by: string;
}

const cases: readonly Case[] = [
  ...piVersions.map((pi) => ({ pi, model: named, by: "its name" })),
  // The oldest release has no such data, and a short run has the model of the name.
  ...(runsEveryForm("adapter-pi") ? everyPiVersion.slice(1) : []).map((pi) => ({
    pi,
    model: declared,
    by: "Pi's data",
  })),
];

describe.each(cases)("a model that binds, by $by, on Pi $pi.version", ({ pi, model }) => {
  const plain = async (): Promise<ThinkingRun> => await run({ pi, model });
  const managed = async (): Promise<ThinkingRun> =>
    await run({ pi, model, managed: { SCM_SETTING: "thrifty", SCM_ALIVE: "6" } });

  test("loses no thinking in plain Pi", async () => {
    const { requests, failures, dropped } = await plain();

    expect(failures).toEqual([]);
    expect(dropped).toEqual([]);
    expect(rewrittenRequests(requests)).toEqual([]);
  });

  test("refuses no request and drops no thinking with managed context", async () => {
    const { requests, failures, dropped } = await managed();

    expect(failures).toEqual([]);
    expect(dropped).toEqual([]);
    expect(requests).toHaveLength(thinkingCalls);
  });

  test("sees at least three epochs end, one of them by the budget within a turn", async () => {
    const rewritten = rewrittenRequests((await managed()).requests);

    expect(rewritten.length).toBeGreaterThanOrEqual(3);
    expect(rewritten.map(({ at }) => at)).toContain("results");
    expect(rewritten.map(({ at }) => at)).toContain("turn");
  });

  test("keeps all thinking until an epoch ends", async () => {
    const { requests } = await managed();
    const rewritten = new Set(rewrittenRequests(requests).map(({ index }) => index));
    const counts = requests.map((request) => thinkingIn(request));

    const kept = counts.flatMap((count, index) => (rewritten.has(index) ? [] : [[index, count]]));
    expect(kept).toEqual(
      counts.flatMap((_, index) =>
        rewritten.has(index) ? [] : [[index, index === 0 ? 0 : (counts[index - 1] ?? 0) + 1]],
      ),
    );
  });
});

describe.each(cases)("detours with a model that binds, by $by, on Pi $pi.version", (one) => {
  test("lose no thinking by a refusal and drop none", async () => {
    const { requests, failures, dropped } = await detouredRun(one);

    expect(failures).toEqual([]);
    expect(dropped).toEqual([]);
    expect(requests).toHaveLength(detourCalls);
    expect(Math.max(...requests.map(thinkingIn))).toBeGreaterThan(4);
  });
});

test.each([
  ["the same text", () => "<env>linux</env>"],
  ["another text each time", (request: number) => `<env>request ${request}</env>`],
] as const)(
  "a model that binds refuses no request beside an extension that appends %s to prompts",
  async (_, appended) => {
    for (const pi of piVersions) {
      const { requests, failures, dropped } = await besideOthersRun({ pi, model: named }, appended);

      expect(failures).toEqual([]);
      expect(dropped).toEqual([]);
      expect(requests).toHaveLength(6);
      expect(JSON.stringify(requests.at(-1)?.messages)).toContain("<env>");
    }
  },
  60_000,
);

test.each(runsEveryForm("adapter-pi") ? piVersions.slice(-1) : [])(
  "a model of the manual mode keeps the thinking of its turn beside its calls, on Pi $version",
  async (pi) => {
    const model = { reasoning: true };
    const { requests, failures } = await run({ pi, model, thinking: "free", managed: {} });

    expect(failures).toEqual([]);
    expect(requests[1]?.payload["thinking"]).toMatchObject({ type: "enabled" });
    expect(rewrittenRequests(requests).length).toBeGreaterThanOrEqual(3);
  },
);

test.each(runsEveryForm("adapter-pi") ? piVersions : [])(
  "a model that nobody knows to bind refuses one request on Pi $version",
  async (pi) => {
    const { requests, failures } = await run({ pi, model: { modelId: "next-1" }, managed: {} });

    expect(failures).toEqual([expect.stringContaining("bound to a different conversation")]);
    expect(rewrittenRequests(requests).length).toBeGreaterThanOrEqual(3);
  },
  60_000,
);
