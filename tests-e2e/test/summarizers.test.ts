import type { Summarizer } from "@self-context-manager/core";
import {
  type SummarizerLaw,
  summarizerContract,
  summarizerLaws,
} from "@self-context-manager/testkit";
import { AssertionError } from "node:assert/strict";
import { describe, expect, it } from "vitest";

import { piVersions } from "../src/pi-versions.ts";
import { openClawStage, piStage, sdkStage, urlStage } from "../src/summaries/stages.ts";

for (const pi of piVersions.filter(({ settles }) => settles))
  summarizerContract({ name: `of Pi ${pi.version}`, open: piStage(pi) });
summarizerContract({ name: "of the AI SDK", open: sdkStage });
summarizerContract({ name: "of OpenClaw", open: openClawStage });
summarizerContract({ name: "of a server's address", open: urlStage });

/** Changes that break a law, by the law. */
const faults: Readonly<Record<SummarizerLaw, (one: Summarizer) => Summarizer["summarize"]>> = {
  "answer-is-the-model's": (one) => async (request) => {
    const answer = await one.summarize(request);
    return { ...answer, text: answer.text.trim().toLowerCase().replace("\\n", "") };
  },
  "request-arrives-whole": (one) => async (request) =>
    await one.summarize({ ...request, text: request.text.replaceAll("\t", " ") }),
  "usage-is-reported": (one) => async (request) => {
    const { usage: _, ...answer } = await one.summarize(request);
    return answer;
  },
  "failure-rejects": (one) => async (request) =>
    await one.summarize(request).catch(() => ({ text: "", model: "none" })),
  "signal-ends": (one) => async (request) =>
    await one.summarize({ ...request, signal: new AbortController().signal }),
};

describe("each law of Summarizer", () => {
  it.each(Object.keys(summarizerLaws) as SummarizerLaw[])("finds a fault: %s", async (law) => {
    const broken = summarizerLaws[law](async (reply) => {
      const stage = await openClawStage(reply);
      const summarize = faults[law](stage.summarizer);
      return Object.assign(stage, { summarizer: { ...stage.summarizer, summarize } });
    });

    await expect(broken).rejects.toThrow(AssertionError);
  });
});
