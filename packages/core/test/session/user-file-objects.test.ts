import { describe, expect, it, test } from "vitest";
import type { Block } from "../../src/chat/message.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { View } from "../../src/session/view-options.ts";
import type { ViewMessage } from "../../src/view/layout.ts";
import {
  type Talk,
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
import { latest } from "./view-parts.ts";

describe("an image of the user", () => {
  const said = (name: string): readonly Block[] => [
    { type: "text", text: `look at ${name}` },
    { ...image, name },
  ];
  const contentOf = (message: ViewMessage | undefined): unknown =>
    message?.role === "user" ? message.content : undefined;
  const blocksOf = ({ messages }: View, at: number): unknown => contentOf(messages.at(at));
  /** Continues after two calls with other outputs. */
  const goOnAfterCalls = (talk: Talk): void => {
    for (const name of ["a", "b"])
      talk.history.call("bash", { command: name }, `${name} is an output\n`.repeat(200));
    goOn(talk);
  };
  const left = (name: string, handle: string): readonly Block[] => [
    { type: "text", text: `look at ${name}` },
    { type: "text", text: `[image not shown; activate ${handle} shows it]` },
  ];

  it("is there until an epoch ends, and then a line names it", async () => {
    const talk = await openTalk();
    talk.history.user(said("ada"));
    const first = await talk.send();
    goOn(talk);
    const second = await talk.send();
    goOnAfterCalls(talk);
    const third = await talk.sendAfterPause();

    expect(blocksOf(first, 0)).toEqual(said("ada"));
    expect(second.messages.slice(0, 1)).toEqual(first.messages);
    expect(blocksOf(third, 0)).toEqual(left("ada", "u1"));
    expect(third.epoch).toMatchObject({ isNew: true, endedBy: "cold" });
    expect(third.epoch?.left).toContain("u1");
  });

  it("is an object without a text that has its block", async () => {
    const talk = await openTalk();
    talk.history.user(said("ada"));
    await talk.send();
    goOn(talk);
    await talk.send();

    const [{ user, user_objects: own = [] } = {}] = turnsOf(await chatOf(talk));
    const { body } = await latest(talk.store, own[0]?.id ?? "");
    expect(user).toEqual(said("ada"));
    expect(own).toEqual([{ block: 1, id: body.id }]);
    expect(body).toMatchObject({
      type: "user",
      content: null,
      char_count: 0,
      media: "image",
      turn: 0,
      block: 1,
    });
    expect(JSON.stringify(body["blocks"])).toBe(JSON.stringify([said("ada")[1]]));
  });

  it("comes back behind the result of activate, in the user's role and unchanged", async () => {
    const talk = await openTalk();
    const { session, history } = talk;
    history.user(said("ada"));
    await talk.send();
    goOnAfterCalls(talk);
    await talk.sendAfterPause();

    await history.ask("activate", { id: "u1" }, async () => session.activate("u1"));
    const { messages } = await talk.send();
    const [result, shown] = messages.slice(-2);

    expect(result).toMatchObject({
      role: "toolResult",
      content: [{ type: "text", text: "u1 user image is now active." }],
    });
    expect(JSON.stringify(contentOf(shown))).toBe(
      JSON.stringify([{ type: "text", text: "u1 user image v1" }, said("ada")[1]]),
    );
  });

  it("is not shown twice if it is activated while it is in view", async () => {
    const talk = await openTalk();
    talk.history.user(said("ada"));
    await talk.send();

    await talk.history.ask("activate", { id: "u1" }, async () => talk.session.activate("u1"));

    expect(textsOf(await talk.send()).at(-1)).toBe("[u1 user image v1 unchanged, shown above]");
  });

  it("is one object if the user sends it again, and another with another name", async () => {
    const talk = await openTalk();
    talk.history.user(said("ada"));
    await talk.send();
    goOn(talk);
    talk.history.say("I see.");
    talk.history.user([...said("ada"), ...said("bob")]);
    await talk.send();
    goOn(talk);
    await talk.send();

    const [first, , again] = turnsOf(await chatOf(talk));
    expect(again?.user_objects?.[0]?.id).toBe(first?.user_objects?.[0]?.id);
    expect((await talk.session.status()).objects.map(({ handle }) => handle)).toEqual(["u1", "u2"]);
  });

  it("stays in the newest message, and while it is pinned", async () => {
    const talk = await openTalk();
    talk.history.user(said("ada"));
    await talk.send();
    await talk.session.pin("u1");
    goOn(talk);
    talk.history.say("I see.");
    talk.history.user(said("bob"));
    for (let call = 0; call < 8; call += 1) talk.history.call("bash", { command: `${call}` }, "ok");
    const view = await talk.sendAfterPause();

    expect(blocksOf(view, 0)).toEqual(said("ada"));
    expect(JSON.stringify(view.messages)).toContain(JSON.stringify(said("bob")));
  });

  it("leaves also if texts never do", async () => {
    const talk = await openTalk({ longTexts: Number.POSITIVE_INFINITY });
    talk.history.user([...said("ada"), { type: "text", text: paste("ada") }]);
    await talk.send();
    goOnAfterCalls(talk);
    const { messages } = await talk.sendAfterPause();

    expect(contentOf(messages[0])).toEqual([
      ...left("ada", "u1"),
      { type: "text", text: paste("ada") },
    ]);
  });

  it.each([epochLayout(), pooledLayout])("is rebuilt call by call, $name", async (layout) => {
    const talk = await openTalk({ layout });
    const sent: View[] = [];
    talk.history.user(said("ada"));
    sent.push(await talk.send());
    goOn(talk);
    sent.push(await talk.sendAfterPause());
    await talk.session.deactivate("u1");
    goOn(talk);
    sent.push(await talk.sendAfterPause());
    await talk.history.ask("activate", { id: "u1" }, async () => talk.session.activate("u1"));
    sent.push(await talk.send());

    expect(JSON.stringify(sent[2])).toContain("[image not shown; activate u1 shows it]");
    expect(await rebuiltViews(talk, layout, sent)).toEqual(unchanged(sent));
  });

  it("is rehearsed with the bytes of the session", async () => {
    const talk = await openTalk();
    const sent: View[] = [];
    talk.history.user(said("ada"));
    sent.push(await talk.send());
    talk.history.call("bash", { command: "ls" }, "a.txt");
    sent.push(await talk.send());
    talk.history.say("Done.");
    await talk.history.ingest(talk.session);

    expect(await rehearsedViews(talk, sent)).toEqual(unchanged(sent));
  });

  it("is at its place in the pooled layout while it is active, and then an active content", async () => {
    const talk = await openTalk({ layout: pooledLayout });
    talk.history.user(said("ada"));
    const [first, second, third, fourth] = await pooledViews(talk);

    expect(contentOf(first.chat[0])).toEqual(said("ada"));
    expect(second.chat.slice(0, 1)).toEqual(first.chat);
    expect(second.activeTexts).toEqual(["Active: u1."]);
    expect(contentOf(third.chat[0])).toEqual(left("ada", "u1"));
    expect(fourth.chat).toEqual(third.chat);
    expect(fourth.active.slice(0, 2)).toEqual([
      { type: "text", text: "u1 user image v1" },
      said("ada")[1],
    ]);
  });
});

test("a file of the user that has at most 100 tokens is no object and stays in its message", async () => {
  const talk = await openTalk();
  const data = Buffer.from("day,sum\n1,2\n").toString("base64");
  const said: readonly Block[] = [
    { type: "text", text: "look at the sums" },
    { type: "file", mediaType: "text/csv", data },
  ];
  talk.history.user(said);
  await talk.send();
  goOn(talk);
  const { messages } = await talk.sendAfterPause();

  expect(messages[0]).toMatchObject({ role: "user", content: said });
  expect(turnsOf(await chatOf(talk))[0]?.user_objects).toBeUndefined();
});
