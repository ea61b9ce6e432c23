import { describe, expect, it } from "vitest";

import { inspectHint } from "../../src/adapters/inspect-hint.ts";

describe("the hint to inspect a session", () => {
  it.each([
    ["s1", undefined, "scm inspect s1"],
    ["s1", { kind: "sqlite", at: "/a/b.sqlite" }, "scm inspect s1 --store sqlite --at /a/b.sqlite"],
    [
      "agent:main; rm",
      { kind: "sqlite", at: "/it's/b" },
      "scm inspect 'agent:main; rm' --store sqlite --at '/it'\\''s/b'",
    ],
  ])("is a command that a shell reads as it is meant: %j in %j", (session, store, command) => {
    const hint = inspectHint(session, store);

    expect(hint.split(": ").slice(1).join(": ")).toBe(command);
  });

  it("says why there is none for a store in memory", () => {
    const hint = inspectHint("s1", { kind: "memory", at: "" });

    expect(hint).toContain("in the memory of its process");
    expect(hint).not.toContain("scm inspect");
  });
});
