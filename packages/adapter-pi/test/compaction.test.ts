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

/** Releases before 0.79.10 do not say who asks, so the caller's name in the stack does. */
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

describe("who wants a compaction", () => {
  test.each(["manual", "threshold", "overflow"] as const)("is %s where Pi says so", (reason) => {
    expect(compactionKind({ preparation, reason }, context)).toBe(reason);
  });

  test("is told by the caller where Pi does not say", () => {
    const session = new AgentSession({ preparation });

    expect([session.compact(), session._runAutoCompaction()]).toEqual(["manual", "threshold"]);
  });

  test("is the user where there are instructions, or the automatic one is off", () => {
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

  test("is told by the numbers where the stack says nothing", () => {
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

  test("keeps Pi's cut, names the chat, and is known as ours", () => {
    const answer = compactionAnswer({ preparation }, status, "/work");

    expect(answer).toMatchObject({ firstKeptEntryId: "0a1b2c3d", tokensBefore: 90_000 });
    expect(answer.summary).toContain("chat-7");
    expect(isOwnSummary(answer.summary)).toBe(true);
  });

  test("is never the same text twice, by which Pi looks it up", () => {
    const later = { ...preparation, firstKeptEntryId: "4e5f6a7b" };

    expect(compactionAnswer({ preparation: later }, status, "/work").summary).not.toBe(
      compactionAnswer({ preparation }, status, "/work").summary,
    );
  });
});
