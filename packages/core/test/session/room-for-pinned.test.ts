import { describe, expect, it } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import type { View } from "../../src/session/view-options.ts";
import { type ScriptedHistory, scriptHistory } from "./script-history.ts";
import { openTestSession, type TestSession } from "./test-session.ts";
import { textOfMessage } from "./view-parts.ts";

const notes = Array.from({ length: 30 }, (_, index) => `note ${index + 1} of the plan\n`).join("");

describe.each([epochLayout(), pooledLayout])("a long chat in the layout $name (D54)", (layout) => {
  const open = async (): Promise<TestSession & { readonly history: ScriptedHistory }> => {
    const files = { "/work/plan.md": notes, "/work/other.md": notes };
    const opened = await openTestSession({ layout, policy: recentlyUsedPolicy(), files });
    const history = scriptHistory();
    for (let turn = 1; turn <= 30; turn += 1) {
      history.user(`question ${turn}: ${"and more words ".repeat(40)}`);
      history.say(`answer ${turn}: ${"so it is ".repeat(30)}`);
    }
    await history.ingest(opened.session);
    return { ...opened, history };
  };

  it("makes room for a pinned file in every context window that has it", async () => {
    for (const contextWindow of [550, 650, 800, 1_500, 3_000, 6_000]) {
      const { session } = await open();
      await session.read({ path: "plan.md" });
      await session.pin("plan.md");

      const view = await session.nextView({ contextWindow, reserve: 0 });

      expect([contextWindow, ...view.shown.map(({ form }) => form)]).toEqual([
        contextWindow,
        "whole",
      ]);
      expect(textsOf(view)).toContain("note 30 of the plan");
      expect(textsOf(view)).toContain("question 30: ");
      expect(textsOf(view)).toMatch(/\[turns 1 to \d+ are not shown; activate chat with from/u);
    }
  });

  it("makes room for a file that the model has read, and keeps it while the turn continues", async () => {
    const { session, history } = await open();
    const options = { contextWindow: 3_000, reserve: 0 };
    await session.nextView(options);
    history.user("read both");
    await history.read(session, "plan.md");
    await history.read(session, "other.md");
    await history.ingest(session);
    const first = await session.nextView(options);
    history.call("bash", { command: "date" }, "Tuesday");
    await history.ingest(session);

    const next = await session.nextView(options);

    expect(first.shown.map(({ form }) => form)).toEqual(["whole", "whole"]);
    expect(next.shown.map(({ form }) => form)).toEqual(["whole", "whole", "whole"]);
    expect(textsOf(next)).not.toContain("question 1: ");
    expect(textsOf(next)).toContain("question 30: ");
  });

  it("makes room in the same way in a session that is resumed before every call", async () => {
    const play = async (isResumed: boolean): Promise<readonly View["messages"][]> => {
      const opened = await open();
      const { history } = opened;
      let { session } = opened;
      const views: View["messages"][] = [];
      for (const name of ["plan.md", "other.md"]) {
        if (isResumed) session = await opened.reopen();
        history.user(`read ${name}`);
        await history.read(session, name);
        await history.ingest(session);
        views.push((await session.nextView({ contextWindow: 3_000, reserve: 0 })).messages);
      }
      return views;
    };

    const live = await play(false);

    expect(await play(true)).toEqual(live);
    expect(JSON.stringify(live.at(-1))).toContain("note 30 of the plan");
  });
});

function textsOf({ messages }: Pick<View, "messages">): string {
  return messages.map(textOfMessage).join("\n");
}
