import { expect, it } from "vitest";
import { scriptHistory } from "./script-history.ts";
import { openTestSession, plainCodec } from "./test-session.ts";

it("knows a host's list up to the last message that it ingested", async () => {
  const opened = await openTestSession();
  const { session } = opened;
  const history = scriptHistory();
  history.user("go");
  history.call("bash", { command: "ls" }, "a.txt");
  const { messages } = history;

  expect(await session.knownUntil(messages, plainCodec)).toBe(0);

  await history.ingest(session);
  history.user("go on");
  history.say("done");

  expect(await session.knownUntil(messages, plainCodec)).toBe(3);
  expect(await session.knownUntil(messages.slice(2), plainCodec)).toBe(1);
  const again = await opened.reopen();
  expect(await again.knownUntil(messages, plainCodec)).toBe(3);
});
