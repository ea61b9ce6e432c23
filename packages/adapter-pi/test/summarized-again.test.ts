import { describe, expect, test } from "vitest";

import type { BeforeCompactEvent } from "../src/pi-api.ts";
import { summarizeAgain } from "../src/summarized-again.ts";
import { fakePi } from "./fake-pi.ts";

const { context } = fakePi();

const user = (id: string, content: string) => {
  return { type: "message", id, message: { role: "user", content } };
};
const ownSummary = "[self-context-manager] an index";
const compaction = (summary: string, firstKeptEntryId: string) => {
  return { type: "compaction", id: `c ${firstKeptEntryId}`, summary, firstKeptEntryId };
};

function event(branchEntries: readonly unknown[], previousSummary: string): BeforeCompactEvent {
  const preparation = {
    firstKeptEntryId: "z",
    tokensBefore: 1,
    messagesToSummarize: [{ role: "user", content: "newest" }],
    previousSummary,
  };
  return { preparation, branchEntries };
}

const askedOf = ({ preparation }: BeforeCompactEvent) => ({
  messages: preparation.messagesToSummarize?.map((one) => (one as { content: unknown }).content),
  summary: preparation.previousSummary,
});

describe("a compaction that the user asks for after the adapter's own summaries", () => {
  const entries = [
    user("a", "one"),
    { type: "message", id: "s", message: { role: "system", content: "the prompt" } },
    { type: "custom_message", id: "n", customType: "x", content: "a note", timestamp: "2026" },
    user("b", "two"),
    compaction(ownSummary, "b"),
    user("c", "three"),
    compaction(ownSummary, "c"),
    user("d", "newest"),
  ];

  test("summarizes the messages that they replaced, and not their text", () => {
    const asked = event(entries, ownSummary);

    summarizeAgain(asked, context);

    expect(askedOf(asked)).toEqual({
      messages: ["one", "a note", "two", "newest"],
      summary: undefined,
    });
  });

  test("continues from the last summary of real messages", () => {
    const asked = event([user("0", "zero"), compaction("a real one", "a"), ...entries], ownSummary);

    summarizeAgain(asked, context);

    expect(askedOf(asked)).toEqual({
      messages: ["one", "a note", "two", "newest"],
      summary: "a real one",
    });
  });

  test("keeps the adapter's summary for the messages that do not fit the window", () => {
    const asked = event([user("y", "long ".repeat(2_000)), ...entries], ownSummary);

    summarizeAgain(asked, { ...context, model: { contextWindow: 1_000 } });

    expect(askedOf(asked)).toEqual({
      messages: ["one", "a note", "two", "newest"],
      summary: ownSummary,
    });
  });

  test("stays unchanged if the summary before it is not the adapter's", () => {
    const asked = event(entries, "a real one");

    summarizeAgain(asked, context);

    expect(askedOf(asked)).toEqual({ messages: ["newest"], summary: "a real one" });
  });
});
