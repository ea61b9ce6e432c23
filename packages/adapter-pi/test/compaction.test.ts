import { objectId, type SessionStatus } from "@self-context-manager/core";
import { describe, expect, test } from "vitest";

import { compactionAnswer, compactionKind, isOwnSummary } from "../src/compaction.ts";
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
});
