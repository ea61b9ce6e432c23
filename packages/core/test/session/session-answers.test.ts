import { objectId, sealObject } from "@self-context-manager/objects";
import { describe, expect, test } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { openContextSession } from "../../src/session/open-context-session.ts";
import { fileSample } from "../samples.ts";
import { numberedLines } from "./fake-files.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession, otherHost } from "./test-session.ts";
import { idOf, latest, promptId, storedSession } from "./view-parts.ts";

const files = { "/work/a.ts": "let a = 1;\n", "/work/long.txt": numberedLines(20) };

describe("the answer of a session", () => {
  test("reports a deactivated object of another session as not in this session", async () => {
    const opened = await openTestSession({ files });
    await opened.session.read({ path: "a.ts" });
    const session = await opened.reopen(otherHost);

    const answer = await session.deactivate("a.ts");

    expect(answer).toEqual({ ok: false, text: '"a.ts" is not in this session.', effects: [] });
  });

  test("reports an unpinned object that was not pinned", async () => {
    const opened = await openTestSession({ files });
    await opened.session.read({ path: "a.ts" });
    const session = await opened.reopen(otherHost);

    expect((await session.unpin("a.ts")).text).toBe('"a.ts" is not pinned.');
    expect((await session.unpin("f9")).text).toMatch(/^No object is known as "f9"/u);
  });

  test("reports a loaded object that is in the pool already, and refuses a locked one", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "a.ts" });

    expect(await session.load("f1")).toEqual({
      ok: true,
      text: "f1 is in the pool already.",
      effects: [],
    });
    expect(await session.load("chat")).toMatchObject({
      ok: false,
      text: "the chat is locked; it is always in the context.",
    });
  });

  test("contains the effects of an activation", async () => {
    const { session } = await openTestSession({ files });
    await session.recordNamed(["a.ts", "long.txt"]);
    const [one, other] = [await idOf(session, "f1"), await idOf(session, "f2")];

    const whole = await session.activate("f1");
    const part = await session.activate("f2", { from: 3, to: 4 });

    expect(whole.effects).toEqual([{ op: "activate", id: one }]);
    expect(part.effects).toEqual([{ op: "activate", id: other, range: { from: 3, to: 4 } }]);
  });
});

describe("a read", () => {
  test.each([
    [{ offset: 19 }, { from: 19, to: 20 }],
    [{ limit: 2 }, { from: 1, to: 2 }],
    [
      { offset: 5, limit: 3 },
      { from: 5, to: 7 },
    ],
  ])("of some lines makes these active: %j", async (asked, range) => {
    const { session, store } = await openTestSession({ files });

    await session.read({ path: "long.txt", ...asked });

    const { activations } = await storedSession(store, session);
    expect(Object.values(activations as object)).toMatchObject([{ ranges: [range] }]);
  });
});

describe("a session's status", () => {
  test("contains which objects are in the last sent view", async () => {
    const { session } = await openTestSession({ files, layout: epochLayout() });
    await session.read({ path: "a.ts" });
    await session.recordNamed(["long.txt"]);
    const before = (await session.status()).objects.map(({ isInView }) => isInView);

    await session.nextView();

    const after = (await session.status()).objects.map(({ isInView }) => isInView);
    expect(before).toEqual([false, false]);
    expect(after).toEqual([true, false]);
  });

  test("contains handles with the letter of the object's type", async () => {
    const { session, store } = await openTestSession({ files });
    const types = ["file", "note", "skill"];
    for (const [index, type] of types.entries()) {
      const id = objectId(`0190cccc-0000-7000-8000-00000000000${index}`);
      await store.commit([{ object: sealObject({ ...fileSample(), id, type, path: null }) }]);
      await session.load(id);
    }

    const handles = (await session.status()).objects.map(({ handle }) => handle);

    expect(handles).toEqual(["f1", "n1", "o1"]);
  });
});

test("a session is shared if the caller reports it at the opening", async () => {
  const { session, dependencies } = await openTestSession();

  const shared = await openContextSession(dependencies, otherHost, { isShared: true });

  expect([session.isShared, shared.isShared]).toEqual([false, true]);
});

test("the order of use keeps the last 256 keys", async () => {
  const { session, store } = await openTestSession();
  const history = scriptHistory();
  history.user("go");
  for (let call = 1; call <= 260; call += 1) history.call("bash", { command: `${call}` }, "out\n");

  await history.ingest(session);

  const { recent } = await storedSession(store, session);
  expect(recent).toEqual(Array.from({ length: 256 }, (_, index) => `t${index + 5}`));
});

test("the system prompt of the context manager has its own origin", async () => {
  const { session, store } = await openTestSession();
  await session.recordSystemPrompt("own", "You know your context.");

  const own = await promptId(store, session, "own");
  expect((await latest(store, own)).body.provenance).toEqual({
    origin: "self-context-manager",
    generator: "system",
  });
});
