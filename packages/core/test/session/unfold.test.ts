import { describe, expect, it } from "vitest";
import { restoreEpoch } from "../../src/adapters/restore-epoch.ts";
import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { type ScriptedHistory, scriptHistory } from "./script-history.ts";
import { openTestSession, plainCodec, type TestSession, testHost } from "./test-session.ts";

const talk = "The parser reads each line again and again. ".repeat(18);
const folded = "calls of turn 1 are folded";

interface Folded extends TestSession {
  readonly history: ScriptedHistory;
  readonly pause: () => void;
  /** The objects that left the view when the epoch ended. */
  readonly left: readonly string[];
}

/** A session of which the first turn was folded. */
async function foldedTurn(): Promise<Folded> {
  let now = 1_700_000_000_000;
  const opened = await openTestSession({
    layout: epochLayout({ folds: { age: 0 } }),
    policy: recentlyUsedPolicy(),
    clock: { now: () => now },
  });
  const { session } = opened;
  const history = scriptHistory();
  history.user("Make the parser faster.");
  history.call("bash", { command: "npm test" }, "a line of the log\n".repeat(400));
  for (const name of ["parser", "lexer", "printer"]) {
    history.say(talk);
    history.call("bash", { command: `npm test -- ${name}` }, "ok");
  }
  history.say("The parser is faster now.");
  history.user("And the lexer?");
  await history.ingest(session);
  await session.nextView();
  await session.deactivate("t1");
  history.say("I look.");
  history.user("Well?");
  await history.ingest(session);
  const pause = (): void => void (now += 3_600_000);
  pause();
  const view = await session.nextView();
  expect(JSON.stringify(view.messages)).toContain(folded);
  return { ...opened, history, pause, left: view.epoch?.left ?? [] };
}

async function nextText(session: ContextSession, contextWindow = 200_000): Promise<string> {
  return JSON.stringify((await session.nextView({ contextWindow })).messages);
}

describe("restoring an epoch that has folded steps", () => {
  it("shows them in the next view, and reports why its epoch began", async () => {
    const { session, left } = await foldedTurn();

    const said = await restoreEpoch(session, left);
    const view = await session.nextView();

    expect(said).toContain("The next view shows what was folded of turn 1.");
    const text = JSON.stringify(view.messages);
    expect(text).not.toContain(folded);
    expect(text.split(talk)).toHaveLength(4);
    expect(text).toContain("npm test -- lexer");
    expect(view.epoch?.endedBy).toBe("unfolded");
  });

  it("changes no later view, and no later end folds them again", async () => {
    const { session, history, pause, left } = await foldedTurn();
    await restoreEpoch(session, left);
    await session.nextView();
    history.call("bash", { command: "cat log" }, "another line\n".repeat(400));
    history.say("So it is.");
    history.user("And?");
    await history.ingest(session);

    const again = await session.nextView();
    await session.deactivate("t5");
    pause();
    const later = await nextText(session);

    expect(again.epoch?.isNew).toBe(false);
    expect(later).not.toContain(folded);
    expect(later).toContain("[t5 ok, 5.2k chars]");
  });

  it("holds after a resume", async () => {
    const opened = await foldedTurn();
    await restoreEpoch(opened.session, opened.left);
    await using later = await opened.reopen(testHost);

    expect(await nextText(later)).not.toContain(folded);
  });

  it("gives way to the budget, once", async () => {
    const { session, left } = await foldedTurn();
    await restoreEpoch(session, left);
    await session.nextView();

    const small = await session.nextView({ contextWindow: 900 });
    const next = await session.nextView({ contextWindow: 900 });

    expect(JSON.stringify(small.messages)).toContain(folded);
    expect(small.epoch?.endedBy).toBe("budget");
    expect(next.epoch?.isNew).toBe(false);
  });

  it("unfolds nothing of other turns", async () => {
    const { session } = await foldedTurn();

    expect(await session.unfold(["t9", "f1"])).toEqual([]);
    expect(await nextText(session)).toContain(folded);
  });

  it("says nothing of a turn that was archived since", async () => {
    const { session, history, left } = await foldedTurn();
    history.say("It is well.");
    await history.ingest(session);
    await session.archive();

    expect(await session.unfold(left)).toEqual([]);
  });

  it("ends for a turn to which the user went back", async () => {
    const { session, left, store } = await foldedTurn();
    await restoreEpoch(session, left);
    const { sessionId } = await session.status();
    const before = await store.get(sessionId);
    const other = scriptHistory(1_800_000_000_000);
    other.user("Something else.");

    await session.ingest(readList(other.messages, plainCodec), { rewound: true });

    expect(before?.body["unfolded_turns"]).toEqual([0]);
    expect((await store.get(sessionId))?.body["unfolded_turns"]).toBeUndefined();
  });
});
