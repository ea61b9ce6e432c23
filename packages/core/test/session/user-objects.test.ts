import { describe, expect, it } from "vitest";
import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import { openContextSession } from "../../src/session/open-context-session.ts";
import type { View } from "../../src/session/view-options.ts";
import { prompt, userSummary } from "../history/host-messages.ts";
import { failingStore } from "./failing-store.ts";
import { otherHost, plainCodec, testHost } from "./test-session.ts";
import {
  openTalk,
  goOn,
  paste,
  image,
  textsOf,
  chatOf,
  turnsOf,
  rebuiltViews,
  rehearsedViews,
  unchanged,
  pooledViews,
} from "./user-talk.ts";
import { latest, textOfMessage, viewParts } from "./view-parts.ts";

/** What stays of a paste that has left: beginning, mark and end. */
const ends = (name: string): RegExp =>
  new RegExp(
    `^${name} wrote line 1 .*\\n\\[\\d+ characters not shown; activate u\\d+ shows all, or lines from and to\\]\\n.*line 600 of a long log\\n$`,
    "su",
  );

describe("a long text of the user", () => {
  it("is in full until an epoch ends, and then by its ends", async () => {
    const talk = await openTalk();
    talk.history.user(paste("ada"));
    const first = await talk.send();
    goOn(talk);
    const second = await talk.send();
    goOn(talk);
    const third = await talk.sendAfterPause();

    expect(textsOf(first)).toEqual([paste("ada")]);
    expect(second.messages.slice(0, 1)).toEqual(first.messages);
    expect(textsOf(third)[0]).toMatch(ends("ada"));
    expect(textsOf(third)[0]?.length).toBeLessThan(6_000);
    expect(third.epoch).toMatchObject({ isNew: true, endedBy: "cold", left: ["u1"] });
    expect(textsOf(third).slice(1)).toEqual(["I see.", "go on", "I see.", "go on"]);
  });

  it("stays in full as the newest user message, however many calls follow", async () => {
    const talk = await openTalk();
    talk.history.user(paste("ada"));
    for (let call = 0; call < 8; call += 1)
      talk.history.call("bash", { command: `run ${call}` }, `${call} said this\n`.repeat(100));
    const view = await talk.sendAfterPause();
    talk.history.call("bash", { command: "run" }, "done");

    expect(textsOf(view)[0]).toBe(paste("ada"));
    expect(textsOf(await talk.sendAfterPause())[0]).toBe(paste("ada"));
  });

  it("is an object that the chat refers to, and stays in the chat", async () => {
    const talk = await openTalk();
    talk.history.user(paste("ada"));
    await talk.send();
    goOn(talk);
    await talk.send();

    const chat = await chatOf(talk);
    const [{ user, user_objects: own = [] } = {}] = turnsOf(chat);
    const { body, hashes } = await latest(talk.store, own[0]?.id ?? "");
    expect(user).toBe(paste("ada"));
    expect(chat.content).toContain(paste("ada"));
    expect(body).toMatchObject({
      type: "user",
      content: paste("ada"),
      char_count: paste("ada").length,
      chat_ref: { ref: "dynamic", id: chat.id },
      turn: 0,
      block: 0,
      provenance: { origin: "user input", generator: "human" },
    });
    expect(chat["user_refs"]).toEqual([
      expect.objectContaining({ ref: "static", id: body.id, object_hash: hashes.object_hash }),
    ]);
  });

  it("comes back in full, or by lines, when the model activates it", async () => {
    const talk = await openTalk();
    talk.history.user(paste("ada"));
    await talk.send();
    goOn(talk);
    await talk.sendAfterPause();
    const { session, history } = talk;

    await history.ask("activate", { id: "u1", from: 7, to: 8 }, async () =>
      session.activate("u1", { from: 7, to: 8 }),
    );
    const lines = textsOf(await talk.send()).at(-1);
    await history.ask("activate", { id: "u1" }, async () => session.activate("u1"));
    const whole = textsOf(await talk.send()).at(-1);

    expect(lines).toBe(
      "u1 user message v1 lines 7-8 of 600\n~~~\nada wrote line 7 of a long log\nada wrote line 8 of a long log\n~~~",
    );
    expect(whole).toContain("ada wrote line 300 of a long log\n");
  });

  it("is not shown twice if it is activated while it is in full", async () => {
    const talk = await openTalk();
    const { session, history } = talk;
    history.user(paste("ada"));
    await talk.send();

    await history.ask("activate", { id: "u1" }, async () => session.activate("u1"));

    expect(textsOf(await talk.send()).at(-1)).toBe("[u1 user message v1 unchanged, shown above]");
  });

  it("stays in full while it is pinned, and leaves once it is deactivated", async () => {
    const talk = await openTalk();
    talk.history.user(paste("ada"));
    await talk.send();
    await talk.session.pin("u1");
    goOn(talk);
    for (let call = 0; call < 8; call += 1) talk.history.call("bash", { command: `${call}` }, "ok");
    const pinned = await talk.sendAfterPause();
    await talk.session.deactivate("u1");
    goOn(talk);
    const dropped = await talk.sendAfterPause();

    expect(textsOf(pinned)[0]).toBe(paste("ada"));
    expect(textsOf(dropped)[0]).toMatch(ends("ada"));
  });

  it("is one object if the user says it twice, and is never cut in the newest message", async () => {
    const talk = await openTalk();
    talk.history.user(paste("ada"));
    await talk.send();
    goOn(talk, paste("ada"));
    const view = await talk.sendAfterPause();

    const turns = turnsOf(await chatOf(talk));
    expect(turns[1]?.user_objects).toEqual(turns[0]?.user_objects);
    expect((await talk.session.status()).objects).toMatchObject([
      { handle: "u1", state: "active" },
    ]);
    expect(textsOf(view)[0]).toMatch(ends("ada"));
    expect(textsOf(view).at(-1)).toBe(paste("ada"));
  });

  it("leaves alone where a message has several, and without the images", async () => {
    const talk = await openTalk();
    const content = [
      { type: "text", text: "look at these" },
      { type: "text", text: paste("ada") },
      image,
      { type: "text", text: paste("bob") },
    ] as const;
    talk.history.user(content);
    await talk.send();
    await talk.session.pin("u2");
    await talk.session.pin("u3");
    goOn(talk);
    const { messages } = await talk.sendAfterPause();

    const [message] = messages;
    expect(message).toMatchObject({
      role: "user",
      content: [content[0], { text: expect.stringMatching(ends("ada")) }, image, content[3]],
    });
  });

  it.each([1_999, 2_001])("is an object above the limit, with %d tokens", async (tokens) => {
    const talk = await openTalk();
    talk.history.user("=-".repeat(tokens));
    await talk.send();

    const handles = (await talk.session.status()).objects.map(({ handle }) => handle);
    expect(handles).toEqual(tokens > 2_000 ? ["u1"] : []);
  });

  it("is no object without a limit", async () => {
    const talk = await openTalk({ longTexts: Number.POSITIVE_INFINITY });
    talk.history.user(paste("ada"));
    await talk.send();
    goOn(talk);

    expect(textsOf(await talk.sendAfterPause())[0]).toBe(paste("ada"));
    expect(turnsOf(await chatOf(talk))[0]).not.toHaveProperty("user_objects");
  });
});

describe("the history of a session with long texts", () => {
  it("continues after a resume with the same bytes and the same objects", async () => {
    const talk = await openTalk();
    talk.history.user(paste("ada"));
    await talk.send();
    goOn(talk);
    const left = await talk.sendAfterPause();
    goOn(talk);

    const resumed = await talk.reopen();
    await talk.history.ingest(resumed);
    const view = await resumed.nextView();

    expect(view.messages.slice(0, left.messages.length)).toEqual(left.messages);
    expect((await resumed.status()).objects.map(({ handle }) => handle)).toEqual(["u1"]);
  });

  it("gives a fork the same handles, and texts of the same hash", async () => {
    const talk = await openTalk();
    talk.history.user(paste("ada"));
    await talk.send();
    goOn(talk);
    await talk.send();

    const fork = await talk.reopen(otherHost);
    await talk.history.ingest(fork);

    const [own, other] = [await talk.session.status(), await fork.status()].map(
      ({ objects }) => objects[0],
    );
    expect(other?.handle).toBe("u1");
    expect(other?.stored.hashes.content_hash).toBe(own?.stored.hashes.content_hash);
  });

  it("shows a text in full again when the user goes back to its message", async () => {
    const talk = await openTalk();
    talk.history.user(paste("ada"));
    await talk.send();
    const before = talk.history.messages.length;
    goOn(talk);
    await talk.sendAfterPause();

    await talk.session.ingest(readList(talk.history.messages.slice(0, before), plainCodec), {
      rewound: true,
    });
    const back = await talk.session.nextView();
    await talk.session.ingest(readList([prompt("else")], plainCodec), { rewound: true });
    const gone = await talk.session.nextView();

    expect(textsOf(back)).toEqual([paste("ada")]);
    expect(textsOf(gone)).toEqual(["else"]);
  });

  it("stores an object later that a process did not store before it ended", async () => {
    const talk = await openTalk();
    const { store, commits, failAt } = failingStore(talk.store);
    const broken = await openContextSession({ ...talk.dependencies, store }, testHost);
    talk.history.user("go");
    talk.history.call("bash", { command: "ls" }, "a.txt");
    talk.history.user(paste("ada"));
    failAt(commits() + 2);
    await expect(talk.history.ingest(broken)).rejects.toThrow("the disk is full");

    await talk.send();
    goOn(talk);

    expect(textsOf(await talk.sendAfterPause()).join("\n")).toContain("activate u1 shows all");
    const [, { user_objects: own = [] } = {}] = turnsOf(await chatOf(talk));
    expect((await latest(talk.store, own[0]?.id ?? "")).body.content).toBe(paste("ada"));
  });

  it("makes a text inactive that a summary of the host replaces", async () => {
    const talk = await openTalk();
    talk.history.user(paste("ada"));
    await talk.send();
    goOn(talk);
    await talk.send();
    const kept = talk.history.messages.slice(2);

    await talk.session.ingest(
      readList([userSummary("the summary", 1_700_000_000_500), ...kept], plainCodec),
    );
    const view = await talk.session.nextView();

    expect(textsOf(view).join("\n")).not.toContain("ada wrote");
    expect((await talk.session.status()).objects.map(({ state }) => state)).toEqual(["inactive"]);
  });

  it.each([epochLayout(), pooledLayout])("is rebuilt call by call, $name", async (layout) => {
    const talk = await openTalk({ layout });
    const sent: View[] = [];
    talk.history.user([{ type: "text", text: paste("ada") }, image]);
    sent.push(await talk.send());
    goOn(talk, paste("bob"));
    sent.push(await talk.send());
    goOn(talk);
    sent.push(await talk.sendAfterPause());
    talk.history.call("bash", { command: "ls" }, "a.txt");
    sent.push(await talk.send());

    expect(await rebuiltViews(talk, layout, sent)).toEqual(unchanged(sent));
  });

  it("is rehearsed with the bytes of the session", async () => {
    const talk = await openTalk();
    const sent: View[] = [];
    talk.history.user(paste("ada"));
    sent.push(await talk.send());
    talk.history.call("bash", { command: "ls" }, "a.txt");
    sent.push(await talk.send());
    goOn(talk);
    sent.push(await talk.send());
    talk.history.say("Done.");
    await talk.history.ingest(talk.session);

    expect(await rehearsedViews(talk, sent)).toEqual(unchanged(sent));
  });
});

describe("the pooled layout", () => {
  it("shows a long text once: in its message, then by its ends, then as an active content", async () => {
    const talk = await openTalk({ layout: pooledLayout });
    talk.history.user(paste("ada"));
    const [first, second, third, fourth] = await pooledViews(talk);

    expect(first.pool).toEqual([`u1 user message ${Math.round(paste("ada").length / 1_000)}k`]);
    expect(first.chat.map(textOfMessage)).toEqual([paste("ada")]);
    expect(first.activeTexts).toEqual(["Active: u1."]);
    expect(second.chat.slice(0, 1)).toEqual(first.chat);
    expect(second.activeTexts).toEqual(["Active: u1."]);
    expect(third.chat.map(textOfMessage)[0]).toMatch(ends("ada"));
    expect(third.activeTexts).toEqual([]);
    expect(fourth.chat).toEqual(third.chat);
    expect(fourth.activeTexts[0]).toBe(`u1 user message v1\n~~~\n${paste("ada")}~~~`);
  });

  it("shows the newest user message whole, also if its object is inactive", async () => {
    const talk = await openTalk({ layout: pooledLayout });
    talk.history.user(paste("ada"));
    await talk.history.ingest(talk.session);
    await talk.session.deactivate("u1");
    await talk.history.ingest(talk.session);

    const { chat } = await viewParts(talk.session);

    expect(chat.map(textOfMessage)).toEqual([paste("ada")]);
  });
});
