import type { ContextSession } from "../../src/session/context-session.ts";
import { describe, expect, it } from "vitest";

import { restoreEpoch } from "../../src/adapters/restore-epoch.ts";

const file = "0192f3a4-5b6c-7d8e-9f00-112233445566";

/** A session that knows `t1`, the file that `t2` wrote, and the reports `t3` and `t4`, and refuses all others. */
function session(asked: string[], turns: readonly number[] = []): ContextSession {
  const objects = [
    { handle: "t1", state: "inactive", stored: { body: { id: "call-1" } } },
    {
      handle: "t2",
      state: "inactive",
      stored: { body: { id: "call-2", file_refs: [{ id: file }] } },
    },
    { handle: "f1", state: "inactive", stored: { body: { id: file } } },
    {
      handle: "t3",
      state: "inactive",
      stored: {
        body: { id: "call-3", context_tool: true, context_operation: "deactivate" },
      },
    },
    {
      handle: "t4",
      state: "inactive",
      stored: { body: { id: "call-4", context_tool: true, tool: "activate", is_error: true } },
    },
  ];
  return {
    status: async () => await Promise.resolve({ objects }),
    unfold: async () => await Promise.resolve(turns),
    activate: async (target: string) => {
      asked.push(target);
      const ok = target === "t1" || target === file;
      return await Promise.resolve({ ok, text: `${target} is unknown.`, effects: [] });
    },
  } as unknown as ContextSession;
}

describe("restoring the contents that left the view when the last epoch ended", () => {
  it("activates them, and for arguments the file that they wrote", async () => {
    const asked: string[] = [];

    const said = await restoreEpoch(session(asked), ["t1", "t2/args"]);

    expect(asked).toEqual(["t1", file]);
    expect(said).toBe("2 objects are active again: t1, f1.");
  });

  it("activates a file once, even if it left twice", async () => {
    const asked: string[] = [];

    await restoreEpoch(session(asked), ["t2/args", "t2/args", "t1", "t1"]);

    expect(asked).toEqual([file, "t1"]);
  });

  it("does not activate a report about an object's state, which is no longer true", async () => {
    const asked: string[] = [];

    expect(await restoreEpoch(session(asked), ["t3", "t1", "t4"])).toBe(
      "1 object is active again: t1.",
    );
    expect(asked).toEqual(["t1"]);
  });

  it("reports what cannot be activated", async () => {
    expect(await restoreEpoch(session([]), ["t9", "t1"])).toBe(
      "1 object is active again: t1.\nt9 is unknown.",
    );
  });

  it("names the turns of which folded steps are shown again", async () => {
    expect(await restoreEpoch(session([], [3]), ["t1"])).toBe(
      "1 object is active again: t1.\nThe next view shows what was folded of turn 3.",
    );
    expect(await restoreEpoch(session([], [3, 5]), ["t1"])).toContain("of turns 3, 5.");
  });

  it("reports that there is nothing to restore", async () => {
    expect(await restoreEpoch(session([]), [])).toBe(
      "No content left the view when the last epoch ended.",
    );
  });
});
