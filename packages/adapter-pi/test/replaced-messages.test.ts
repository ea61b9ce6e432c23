import { describe, expect, test } from "vitest";

import { ownSummaries, withReplaced } from "../src/replaced-messages.ts";

const time = "2026-11-23T12:00:00.000Z";
const message = (id: string, role = "user") => {
  return { type: "message", id, message: { role, content: `text ${id}`, timestamp: 1 } };
};
const compaction = (summary: string, firstKeptEntryId: string) => {
  return {
    type: "compaction",
    id: `c ${firstKeptEntryId}`,
    summary,
    firstKeptEntryId,
    timestamp: time,
  };
};
const own = "[self-context-manager] an index";
const theirs = "what a model wrote";
const summaryMessage = (summary: string) => ({ role: "compactionSummary", summary, timestamp: 2 });
const newest = { role: "user", content: "newest", timestamp: 3 };

/** Returns the texts of the list that Pi's list becomes. */
function restored(branch: readonly unknown[], summary: string): readonly unknown[] {
  const { messages } = withReplaced([summaryMessage(summary), newest], branch);
  return messages.map(
    (one) => Reflect.get(one as object, "content") ?? Reflect.get(one as object, "summary"),
  );
}

describe("the list of a request", () => {
  test("has the replaced messages instead of the adapter's own summary", () => {
    const branch = [
      message("a"),
      { type: "model_change", id: "m" },
      message("b", "assistant"),
      { type: "custom_message", id: "n", customType: "x", content: "a note", timestamp: time },
      { type: "branch_summary", id: "s", summary: "another way", timestamp: time },
      compaction(own, "d"),
      message("d"),
    ];

    expect(restored(branch, own)).toEqual(["text a", "text b", "a note", "another way", "newest"]);
  });

  test("has them all after several own summaries, up to the newest one", () => {
    const branch = [
      message("a"),
      message("b"),
      compaction(own, "b"),
      message("c"),
      compaction(own, "c"),
      message("d"),
    ];

    expect(restored(branch, own)).toEqual(["text a", "text b", "newest"]);
  });

  test("begins with the user's own summary, whose messages stay replaced", () => {
    const branch = [
      message("a"),
      message("b"),
      compaction(theirs, "b"),
      message("c"),
      compaction(own, "d"),
      message("d"),
    ];

    expect(restored(branch, own)).toEqual([theirs, "text b", "text c", "newest"]);
  });

  test("stays unchanged if its summary is not the adapter's", () => {
    const branch = [message("a"), compaction(own, "b"), message("b"), compaction(theirs, "c")];

    expect(restored(branch, theirs)).toEqual([theirs, "newest"]);
  });

  test("has no failed answers, no system prompts, and the messages as they were edited", () => {
    const failed = {
      type: "message",
      id: "f",
      message: { role: "assistant", stopReason: "error" },
    };
    const branch = [
      message("a"),
      message("p", "system"),
      failed,
      message("b"),
      message("c"),
      { type: "context_edit", id: "e1", targetId: "b", replacement: null },
      { type: "context_edit", id: "e2", targetId: "c", replacement: { content: "shorter" } },
      compaction(own, "d"),
    ];

    expect(restored(branch, own)).toEqual(["text a", "shorter", "newest"]);
  });
});

describe("the signal of the adapter's own summaries", () => {
  test("has their texts and the chats that they name", () => {
    const details = { self_context_manager: { compaction: true, chat: "chat-7" } };
    const branch = [
      message("a"),
      { ...compaction(own, "d"), details },
      compaction(theirs, "e"),
      compaction(own, "f"),
    ];

    expect(ownSummaries(branch)).toEqual([{ text: own, chatId: "chat-7" }, { text: own }]);
  });

  test("is empty without such a summary", () => {
    expect(ownSummaries([message("a"), compaction(theirs, "e")])).toEqual([]);
  });
});
