import { expect, it } from "vitest";

import { contextCommand, type ContextSwitch } from "../../src/adapters/context-command.ts";
import { chatAbout } from "../session/script-history.ts";
import { openTestSession } from "../session/test-session.ts";

/** Runs `/context archive` in a host that passes its list only with the next request. */
async function archived(isOn: boolean): Promise<string> {
  const { session } = await openTestSession();
  const history = chatAbout("one", "two");
  const answer = history.messages.pop();
  await history.ingest(session);
  const host: ContextSwitch = {
    host: "Pi",
    command: "context",
    isOn: () => isOn,
    turn: async () => await Promise.resolve(""),
    session: async () => await Promise.resolve(session),
    figures: async () => await Promise.resolve(undefined),
    sendsOwn: () => undefined,
    isCompacted: () => false,
    ingest: async () => {
      if (answer !== undefined) history.push(answer);
      await history.ingest(session);
    },
    inspect: async () => await Promise.resolve(""),
  };
  return await contextCommand("archive", host);
}

it("archives the chat with the messages after the last request", async () => {
  expect(await archived(true)).toBe(
    "The chat so far is archived as c1 (turns: 2). The next call begins with a line that names it.",
  );
});

it("archives nothing while managed context is off", async () => {
  expect(await archived(false)).toBe("Managed context is off; /context on switches it on.");
});
