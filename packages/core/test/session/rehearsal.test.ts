import { describe, expect, test } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { windowPolicy } from "../../src/policy/window-policy.ts";
import {
  openRehearsal,
  type Rehearsal,
  type StoredRehearsal,
} from "../../src/session/rehearsal.ts";
import type { SessionDependencies } from "../../src/state/session-scope.ts";
import type { ViewMessage } from "../../src/view/layout.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession, testHost } from "./test-session.ts";
import { textOfMessage } from "./view-parts.ts";

interface Recorded {
  readonly stored: StoredRehearsal;
  readonly dependencies: SessionDependencies;
  /** The messages that the session sent with each of its calls. */
  readonly sent: readonly (readonly ViewMessage[])[];
}

/** Opens a rehearsal of a stored session of four calls in two turns. */
async function recorded(): Promise<Recorded> {
  const opened = await openTestSession({
    layout: epochLayout({ small: 0 }),
    policy: windowPolicy({ calls: 1 }),
  });
  const { session } = opened;
  const history = scriptHistory();
  const sent: (readonly ViewMessage[])[] = [];
  const send = async (): Promise<void> => {
    await history.ingest(session);
    sent.push((await session.nextView()).messages);
  };
  history.user("Build it.");
  await send();
  history.call("bash", { command: "make" }, "compiled\n".repeat(40));
  await send();
  history.call("bash", { command: "test" }, "passed\n".repeat(40));
  await send();
  history.say("It is built.");
  history.user("Thanks.");
  await send();
  history.say("You are welcome.");
  await history.ingest(session);
  const { dependencies } = opened;
  return { stored: await openRehearsal(dependencies, testHost), dependencies, sent };
}

/** Makes the views of all calls of a stored session. */
async function allViews(
  { callCount }: StoredRehearsal,
  rehearsal: Rehearsal,
): Promise<readonly (readonly ViewMessage[])[]> {
  const views: (readonly ViewMessage[])[] = [];
  for (let call = 0; call < callCount; call += 1) views.push((await rehearsal.view()).messages);
  return views;
}

function textsOf(messages: readonly ViewMessage[]): string {
  return messages.map(textOfMessage).join("\n");
}

describe("a rehearsal", () => {
  test("makes the same view for each call as the session", async () => {
    const { stored, dependencies, sent } = await recorded();
    const rehearsal = stored.begin(dependencies);

    expect(await allViews(stored, rehearsal)).toEqual(sent);
  });

  test("returns the place of each call's answer in the chat", async () => {
    const { stored } = await recorded();

    expect(stored.callCount).toBe(4);
    expect(stored.places).toEqual([
      { turn: 0, step: 0 },
      { turn: 0, step: 1 },
      { turn: 0, step: 2 },
      { turn: 1, step: 0 },
    ]);
  });

  test("returns the tool calls in the order of their results", async () => {
    const { stored } = await recorded();

    const calls = stored.toolcalls.map(({ callId, id, handle, stored: { body } }) => ({
      callId,
      id,
      handle,
      args: body["args"],
    }));
    expect(calls).toEqual([
      { callId: "call_1", id: "call_1", handle: "t1", args: { command: "make" } },
      { callId: "call_2", id: "call_2", handle: "t2", args: { command: "test" } },
    ]);
  });

  test("ends after the last call", async () => {
    const { stored, dependencies } = await recorded();
    const rehearsal = stored.begin(dependencies);
    await allViews(stored, rehearsal);

    await expect(rehearsal.view()).rejects.toThrow("the session has 4 model calls and no more");
  });

  test("begins with the first call each time", async () => {
    const { stored, dependencies, sent } = await recorded();
    await stored.begin(dependencies).view();

    const { messages } = await stored.begin(dependencies).view();

    expect(messages).toEqual(sent[0]);
  });

  test("stores nothing", async () => {
    const { stored, dependencies } = await recorded();
    const { position } = await dependencies.store.changesSince();
    const rehearsal = stored.begin(dependencies);

    await allViews(stored, rehearsal);

    expect((await dependencies.store.changesSince(position)).versions).toEqual([]);
  });

  test("shows an object again when it is activated", async () => {
    const { stored, dependencies } = await recorded();
    const immediate = {
      ...dependencies,
      layout: epochLayout({ small: 0, deactivate: "immediate" }),
    };
    const rehearsal = stored.begin({ ...immediate, policy: windowPolicy({ calls: 1 }) });
    await allViews(stored, rehearsal);

    const { messages } = await rehearsal.activate("t1");

    expect(textsOf(messages.slice(-1))).toContain("compiled");
  });

  test("shows the lines of an object that are activated, and adds more lines to them", async () => {
    const { stored, dependencies } = await recorded();
    const rehearsal = stored.begin({
      ...dependencies,
      layout: epochLayout({ small: 0, deactivate: "immediate" }),
      policy: windowPolicy({ calls: 1 }),
    });
    await allViews(stored, rehearsal);
    expect(rehearsal.activeLines("t1")).toBeUndefined();

    const { messages } = await rehearsal.activate("t1", { from: 2, to: 4 });
    const first = rehearsal.activeLines("t1");
    await rehearsal.activate("t1", { from: 30 });

    expect(textsOf(messages.slice(-1)).match(/compiled/gu)).toHaveLength(3);
    expect(first).toEqual([{ from: 2, to: 4 }]);
    expect(rehearsal.activeLines("t1")).toEqual([
      { from: 2, to: 4 },
      { from: 30, to: 40 },
    ]);
  });

  test("refuses lines that an object does not have", async () => {
    const { stored, dependencies } = await recorded();
    const rehearsal = stored.begin(dependencies);
    await allViews(stored, rehearsal);

    await expect(rehearsal.activate("t1", { from: 41 })).rejects.toThrow(RangeError);
  });

  test("refuses to activate an unknown object", async () => {
    const { stored, dependencies } = await recorded();
    const rehearsal = stored.begin(dependencies);
    await rehearsal.view();

    await expect(rehearsal.activate("t9")).rejects.toThrow(RangeError);
  });

  test("shows a summary instead of the messages that it replaces", async () => {
    const { stored, dependencies } = await recorded();
    const rehearsal = stored.begin(dependencies);
    for (let call = 0; call < 3; call += 1) await rehearsal.view();

    rehearsal.summarise({ text: "It was built.", from: { turn: 1, step: -1 } });

    const { messages } = await rehearsal.view();
    expect(messages[0]).toMatchObject({ role: "opaque", raw: "It was built." });
    expect(textsOf(messages)).toContain("Thanks.");
    expect(textsOf(messages)).not.toContain("compiled");
  });
});
