import { describe, expect, it } from "vitest";

import { redactedMiss } from "../../src/snapshot/redact-miss.ts";

const text = (endedBy: string): string =>
  `Nothing was sent for 28 minutes, and the provider keeps unused text for 5 minutes. Epoch 5 ended because ${endedBy}. Removed from the view: f24 (secret plan.md). What follows the first change was billed again.`;

const miss = { tokens: 9_000, reason: "idle", isReported: true } as const;

describe("the reason of a cache miss in a redacted snapshot", () => {
  it("keeps durations, the cause of an epoch's end and the number of objects, but no name", () => {
    const redacted = redactedMiss({
      miss: { ...miss, text: text("the chat was compacted") },
      epoch: { number: 6, call: 1, endedBy: "compaction", left: ["f24"] },
    });

    expect(redacted).toEqual({
      ...miss,
      text: "Nothing was sent for 28 minutes, and the provider keeps unused text for 5 minutes. Epoch 5 ended because the chat was compacted. Contents that left the view: 1.",
    });
  });

  it("keeps durations of less than a minute", () => {
    const shortText = text("the chat was compacted").replace("5 minutes", "14 seconds");

    const redacted = redactedMiss({ miss: { ...miss, text: shortText } });

    expect(redacted?.text).toContain("14 seconds");
  });

  it("does not keep a cause of a foreign store, which can be any text", () => {
    const foreign = "the user wrote that the merger begins on the first of May";
    const redacted = redactedMiss({
      miss: { ...miss, text: text(foreign) },
      epoch: { number: 6, call: 1, endedBy: foreign as "compaction", left: ["f24"] },
    });

    expect(redacted?.text).not.toContain("merger");
    expect(redacted?.text).toContain("28 minutes");
  });
});
