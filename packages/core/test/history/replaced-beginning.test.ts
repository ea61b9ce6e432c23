import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import type { ViewOptions } from "../../src/session/view-options.ts";
import { openTestSession, plainCodec } from "../session/test-session.ts";
import { textOfMessage } from "../session/view-parts.ts";

const user = (content: string): Message => ({ role: "user", content });
const says = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });
const call = (id: string, output: string): readonly Message[] => [
  {
    role: "assistant",
    content: [{ type: "toolCall", id, name: "bash", arguments: { command: id } }],
  },
  {
    role: "toolResult",
    toolCallId: id,
    toolName: "bash",
    content: [{ type: "text", text: output }],
    isError: false,
  },
];

/** Four prompts with their answers. */
const chat: readonly Message[] = [1, 2, 3, 4].flatMap((count) => [
  user(`prompt ${count}`),
  ...call(`call_${count}`, `output ${count}`),
  says(`answer ${count}`),
]);
const perPrompt = 4;
const kept = chat.slice(-perPrompt);

const summary = user("SUMMARY of what was before");

/** Gives each message a time of its own, the same for the same message. */
const times = new Map<Message, number>();
const timed = (message: Message): Message => {
  const timestamp = times.get(message) ?? times.size + 1;
  times.set(message, timestamp);
  return { ...message, timestamp };
};

const cases = [
  ["epoch", "with times"],
  ["epoch", "without times"],
  ["pooled", "with times"],
  ["pooled", "without times"],
] as const;

describe.each(cases)("a host that compacts its list by a text (%s, %s)", (layout, when) => {
  const open = async () =>
    await openTestSession({ layout: layout === "epoch" ? epochLayout() : pooledLayout });

  const view = async (
    session: ContextSession,
    list: readonly Message[],
    options?: ViewOptions,
  ): Promise<readonly string[]> => {
    const messages = when === "with times" ? list.map(timed) : list;
    await session.ingest(readList(messages, plainCodec));
    const shown = await session.nextView(options);
    return shown.messages
      .filter(({ role }) => role !== "toolResult")
      .map(textOfMessage)
      .filter((text) => !/^Known objects:|^Active: /mu.test(text));
  };
  /** The texts of a list, as the view shows them. */
  const textsOf = (list: readonly Message[]): readonly string[] =>
    (list as readonly Exclude<Message, { role: "summary" }>[])
      .filter(({ role }) => role !== "toolResult")
      .map(textOfMessage);

  it.each([
    ["a message of the user", [summary]],
    ["a message of the user and an answer", [user("Summarise."), says("SUMMARY of it")]],
    ["two messages of the user", [summary, user("These files matter: a.txt.")]],
  ])("has its new beginning before the kept messages: %s", async (_what, beginning) => {
    const opened = await open();
    await view(opened.session, chat);
    const list = [...beginning, ...kept, user("prompt 5")];

    const shown = await view(opened.session, list);
    const resumed = await view(await opened.reopen(), list);
    const longer = [...list, ...call("call_5", "output 5"), says("answer 5"), user("prompt 6")];
    const later = await view(opened.session, longer);

    expect(shown).toEqual(textsOf(list));
    expect(resumed).toEqual(shown);
    expect(later).toEqual(textsOf(longer));
  });

  it("has a summary that slides", async () => {
    const { session } = await open();
    await view(session, chat);
    const first = [summary, ...kept, user("prompt 5"), ...call("call_5", "output 5")];
    await view(session, first);

    const second = [
      user("SUMMARY of more"),
      ...first.slice(1 + perPrompt),
      says("answer 5"),
      user("prompt 6"),
    ];

    expect(await view(session, second)).toEqual(textsOf(second));
  });

  it("has only the new list if it shares nothing with the chat", async () => {
    const { session } = await open();
    await view(session, chat);
    const list = [summary, user("prompt 5")];

    expect(await view(session, list)).toEqual(textsOf(list));
  });

  it("never drops the newest prompt for the budget", async () => {
    const { session } = await open();
    const budget = { contextWindow: 6_000 };
    await view(session, chat, budget);
    const long = user(`SUMMARY ${"of what was before ".repeat(200)}`);

    const shown = await view(session, [long, ...kept, user("prompt 5")], budget);

    expect(shown.at(-1)).toBe("prompt 5");
  });

  it("keeps the view if the list has only lost its beginning", async () => {
    const { session } = await open();
    await view(session, chat);

    const shown = await view(session, [...kept, user("prompt 5")]);

    expect(shown).toEqual(textsOf([...chat, user("prompt 5")]));
  });

  it("keeps the chat if the list has lost its beginning and begins with a known prompt", async () => {
    const { session } = await open();
    await view(session, chat);

    const shown = await view(session, [...kept.slice(0, 1), user("prompt 5")]);

    expect(shown).toContain("prompt 1");
    expect(shown.at(-1)).toBe("prompt 5");
  });

  it("has a prompt with the words of its summary as a new prompt", async () => {
    const { session } = await open();
    await view(session, chat);
    await view(session, [summary, ...kept, user("prompt 5"), says("answer 5")]);

    const shown = await view(session, [user("SUMMARY of what was before")]);

    expect(shown.at(-1)).toBe("SUMMARY of what was before");
  });

  it("keeps the view if it marks its summaries", async () => {
    const { session } = await open();
    await view(session, chat);
    const list = [summary, ...kept, user("prompt 5")];
    const messages = when === "with times" ? list.map(timed) : list;

    await session.ingest(readList(messages, { ...plainCodec, marksSummaries: true }));
    const shown = (await session.nextView()).messages.map((one) => textOfMessage(one));

    expect(shown).toContain("prompt 1");
  });
});
