import { expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import { neutralCodec } from "../../src/host/neutral-codec.ts";
import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import { openTestSession } from "../session/test-session.ts";
import { textOfMessage } from "../session/view-parts.ts";

const said = (content: string): Message => ({ role: "user", content });
const answered = (text: string): Message => ({
  role: "assistant",
  content: [{ type: "text", text }],
});

/** A call with its result. The same id comes again in later answers. */
function called(id: string, output: string): readonly Message[] {
  const args = { path: "a.txt" };
  return [
    { role: "assistant", content: [{ type: "toolCall", id, name: "show", arguments: args }] },
    {
      role: "toolResult",
      toolCallId: id,
      toolName: "show",
      content: [{ type: "text", text: output }],
      isError: false,
    },
  ];
}

it("a host without ids that goes back gets no view of an abandoned branch with the same words", async () => {
  const opened = await openTestSession({ layout: epochLayout() });
  const begin = [said("go"), ...called("call_0", "A"), ...called("call_1", "B")];
  for (const length of [1, 3, 5])
    await opened.session.ingestAndView(readList(begin.slice(0, length), neutralCodec));
  const slid = [...begin.slice(2), answered("ok"), said("go")];
  await opened.session.ingestAndView(readList(slid, neutralCodec));
  const session = await opened.reopen();
  const twice = [...slid, answered("ok"), said("go")];
  const abandoned = [...twice, ...called("call_0", "C"), ...called("call_1", "D")];
  for (const length of [7, 9, 11])
    await session.ingestAndView(readList(abandoned.slice(0, length), neutralCodec));
  await session.ingestAndView(readList(twice, neutralCodec), { rewound: true });
  await session.ingestAndView(readList([...twice, ...called("call_0", "E")], neutralCodec));
  await session.ingestAndView(readList(slid, neutralCodec));

  const view = await session.ingestAndView(
    readList([...slid.slice(0, -1), said("go on")], neutralCodec),
  );

  expect(view.messages.slice(-1).map(textOfMessage)).toEqual(["go on"]);
});

it("a summary of a host without ids replaces the same messages after the user went back", async () => {
  const { session } = await openTestSession({ layout: epochLayout() });
  const summary: Message = {
    role: "summary",
    kind: "compaction",
    raw: { text: "so far" },
    isFromManager: false,
  };
  const failed: Message = { role: "assistant", content: [], isFailed: true };
  const begin = [said("hello"), answered("hi"), said("go"), ...called("call_0", "A")];
  for (const length of [1, 3, 5])
    await session.ingestAndView(readList(begin.slice(0, length), neutralCodec));
  const again = [summary, said("go")];
  await session.ingestAndView(readList([...again, said("on")], neutralCodec));
  await session.ingestAndView(readList([...again, said("on"), failed], neutralCodec));

  const view = await session.ingestAndView(readList([...again, said("stop")], neutralCodec));

  expect(view.messages.slice(1, 3).map(textOfMessage)).toEqual(["go", "stop"]);
});

it("a prompt in the words of a text that replaced the beginning is a prompt, after the user went back", async () => {
  const { session } = await openTestSession({ layout: pooledLayout });
  const shown = called("call_0", "A");
  const behind = [said("go on"), ...shown, answered("ok"), said("go")];
  const lists = [
    [said("go")],
    [said("go"), answered("done"), said("go")],
    [said("go on")],
    [said("go on"), ...shown],
    [said("go on"), ...behind],
    [said("go"), said("go on"), ...behind, answered("ok"), said("go")],
    [answered("done"), said("go on")],
  ];
  for (const list of lists) await session.ingestAndView(readList(list, neutralCodec));

  const newest = [answered("done"), said("go on"), ...called("call_0", "B")];
  const view = await session.ingestAndView(readList(newest, neutralCodec));

  expect(view.messages.map(({ role }) => role)).toContain("toolResult");
});

it("a host without ids can go back with a list that begins within the results of an answer", async () => {
  const { session } = await openTestSession({ layout: epochLayout() });
  const calls = ["call_8", "call_9", "call_10"].map((id) => called(id, "A"));
  const blocks = calls.flatMap(([answer]) => (answer?.role === "assistant" ? answer.content : []));
  const results = calls.flatMap(([, result]) => result ?? []);
  const failed: Message = {
    role: "assistant",
    content: [{ type: "text", text: "aborted" }],
    isFailed: true,
  };
  const begin: readonly Message[] = [
    said("go"),
    { role: "assistant", content: blocks },
    ...results,
    failed,
    said("on"),
    ...called("call_11", "A"),
    { ...failed, content: [{ type: "text", text: "aborted again" }] },
  ];
  for (const length of [1, 5, 7, 9, 10])
    await session.ingestAndView(readList(begin.slice(0, length), neutralCodec));

  const list = [...results.slice(1), failed, said("stop")];
  const view = await session.ingestAndView(readList(list, neutralCodec));

  const users = view.messages.filter(({ role }) => role === "user");
  expect(users.map(textOfMessage)).toEqual(["go", "stop"]);
});
