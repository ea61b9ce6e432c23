import { objectId } from "@self-context-manager/objects";
import type { SessionStatus } from "@self-context-manager/core";
import { describe, expect, test } from "vitest";

import { compactionAnswer, compactionKind } from "../src/compaction.ts";
import { isOwnSummary } from "../src/own-summary.ts";
import type { BeforeCompactEvent } from "../src/pi-api.ts";
import { fakePi } from "./fake-pi.ts";

const preparation = {
  firstKeptEntryId: "0a1b2c3d",
  tokensBefore: 90_000,
  settings: { enabled: true, reserveTokens: 16_384 },
};
const { context } = fakePi();

/** Releases before 0.79.10 do not report who asks; the caller's name in the stack shows it. */
class AgentSession {
  readonly event: BeforeCompactEvent;

  constructor(event: BeforeCompactEvent) {
    this.event = event;
  }

  compact(): string {
    return compactionKind(this.event, context);
  }

  _runAutoCompaction(): string {
    return compactionKind(this.event, context);
  }
}

describe("the kind of a compaction", () => {
  test.each(["manual", "threshold", "overflow"] as const)("is %s if Pi reports it", (reason) => {
    expect(compactionKind({ preparation, reason }, context)).toBe(reason);
  });

  test("is found by the caller if Pi does not report it", () => {
    const session = new AgentSession({ preparation });

    expect([session.compact(), session._runAutoCompaction()]).toEqual(["manual", "threshold"]);
  });

  test("is manual with instructions, or if automatic compaction is off", () => {
    const off = { ...preparation, settings: { enabled: false, reserveTokens: 1 } };

    expect(compactionKind({ preparation, customInstructions: "be brief" }, context)).toBe("manual");
    expect(new AgentSession({ preparation: off })._runAutoCompaction()).toBe("manual");
  });

  test("is an overflow after a failed answer", () => {
    const branchEntries = [
      { type: "message", message: { role: "assistant", stopReason: "error" } },
    ];

    expect(new AgentSession({ preparation, branchEntries })._runAutoCompaction()).toBe("overflow");
  });

  test("is found by the token counts if the stack shows no caller", () => {
    const small = { ...preparation, tokensBefore: 10 };

    expect(compactionKind({ preparation }, context)).toBe("threshold");
    expect(compactionKind({ preparation: small }, context)).toBe("manual");
  });
});

describe("the answer to an automatic compaction", () => {
  const status: SessionStatus = {
    sessionId: objectId("session-1"),
    chatId: objectId("chat-7"),
    objects: [],
    activeCount: 0,
    turnCount: 4,
    summaries: { count: 0, calls: 0, input: 0, output: 0 },
  };

  test("keeps Pi's first kept entry, names the chat, and is recognised as the adapter's", () => {
    const answer = compactionAnswer({ preparation }, status, "/work");

    expect(answer).toMatchObject({ firstKeptEntryId: "0a1b2c3d", tokensBefore: 90_000 });
    expect(answer.summary).toContain("chat-7");
    expect(isOwnSummary(answer.summary)).toBe(true);
  });

  test("is never the same text twice, because Pi looks it up by the text", () => {
    const later = { ...preparation, firstKeptEntryId: "4e5f6a7b" };

    expect(compactionAnswer({ preparation: later }, status, "/work").summary).not.toBe(
      compactionAnswer({ preparation }, status, "/work").summary,
    );
  });

  const user = (id: string, content: unknown) => {
    return { type: "message", id, message: { role: "user", content } };
  };
  const assistant = (id: string, ...content: readonly unknown[]) => {
    return { type: "message", id, message: { role: "assistant", content } };
  };
  const call = (name: string, path: string) => ({ type: "toolCall", name, arguments: { path } });
  const text = (said: string) => ({ type: "text", text: said });
  const summaryOf = (...branchEntries: readonly unknown[]): string => {
    const kept = user(preparation.firstKeptEntryId, "the kept prompt");
    return compactionAnswer(
      { preparation, branchEntries: [...branchEntries, kept] },
      status,
      "/work",
    ).summary;
  };

  test("contains what was said and the files, and no outputs and no thinking", () => {
    const output = { role: "toolResult", content: [text("an output")] };

    const summary = summaryOf(
      user("a", "the task"),
      assistant("b", { type: "thinking", thinking: "hm" }, text("I look."), call("read", "a.txt")),
      { type: "message", id: "c", message: output },
      assistant("d", call("write", "b.txt"), call("edit", "a.txt")),
      user("e", [text("and now"), { type: "image", data: "" }]),
    );

    expect(summary.split("\n").slice(2)).toEqual([
      "What was said, each text shortened:",
      "User: the task",
      "Assistant: I look.",
      "User: and now",
      "Files read: a.txt",
      "Files written: b.txt, a.txt",
    ]);
  });

  test("has a line for each turn, the newest if there are too many", () => {
    const turns = Array.from(
      { length: 200 },
      (_, turn) => `${turn + 1}. ${"asked ".repeat(12)}-> done`,
    );

    const { summary } = compactionAnswer({ preparation }, status, "/work", turns);

    expect(summary).toContain("\n[106 earlier turns are left out]\n107. asked ");
    expect(summary).toContain(`\n${turns.at(-1)}`);
    expect(summary.length).toBeLessThan(10_000);
  });

  test("contains what was said before earlier answers, and the user's own summary", () => {
    const compaction = (id: string, summary: string, firstKeptEntryId: string) => {
      return { type: "compaction", id, summary, firstKeptEntryId };
    };

    const summary = summaryOf(
      user("a", "zero"),
      compaction("b", "what a model wrote", "c"),
      user("c", "one"),
      compaction("d", "[self-context-manager] an index", "e"),
      user("e", "two"),
    );

    expect(summary.split("\n").slice(3)).toEqual([
      "Earlier summary: what a model wrote",
      "User: one",
      "User: two",
    ]);
  });

  test("has at most about 8,000 characters, with the first prompt and the newest texts", () => {
    const long = "long ".repeat(1_000);
    const turns = Array.from({ length: 40 }, (_, index) => [
      user(`u${index}`, `prompt ${index} ${long}`),
      assistant(`a${index}`, text(`answer ${index} ${long}`), call("read", `${index} ${long}`)),
    ]);

    const summary = summaryOf(...turns.flat());

    expect(summary.length).toBeLessThan(8_000);
    expect(summary).toContain("User: prompt 0 ");
    expect(summary).toContain("User: prompt 39 ");
    expect(summary).toContain("Assistant: answer 39 ");
    expect(summary).toMatch(/\[\d+ texts are left out\]/u);
    expect(summary).not.toContain("prompt 20 ");
  });

  test("uses the messages that Pi names if it does not show the branch", () => {
    const messagesToSummarize = [{ role: "user", content: "the task" }];

    const { summary } = compactionAnswer(
      { preparation: { ...preparation, messagesToSummarize } },
      status,
      "/work",
    );

    expect(summary).toContain("User: the task");
  });
});
