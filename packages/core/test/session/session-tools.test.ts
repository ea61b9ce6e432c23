import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import { neutralCodec } from "../../src/host/neutral-codec.ts";
import { readList } from "../../src/host/read-list.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import type { SessionToolAnswer } from "../../src/session/session-tool.ts";
import { openTestSession, otherHost } from "./test-session.ts";

const file = "one\ntwo\n";

async function call(
  session: ContextSession,
  name: string,
  args: { readonly [name: string]: string },
): Promise<SessionToolAnswer> {
  const tool = session.tools().find((one) => one.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return await tool.run(args, `call_${name}`);
}

describe("the tools of a session", () => {
  it("return results that the agent adds to its messages as they are", async () => {
    const { session } = await openTestSession({ files: { "/work/a.txt": file } });

    const { message } = await call(session, "read", { path: "a.txt" });

    const messages: Message[] = [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: [
          { type: "toolCall", id: "call_read", name: "read", arguments: { path: "a.txt" } },
        ],
      },
      message,
    ];
    const view = await session.ingestAndView(readList(messages, neutralCodec));
    expect(JSON.stringify(view.messages)).toContain("one\\ntwo");
    expect(message).toMatchObject({ toolName: "read", toolCallId: "call_read", isError: false });
  });

  it("have effects that another session repeats when it gets the messages", async () => {
    const first = await openTestSession({ files: { "/work/a.txt": file } });
    const { message } = await call(first.session, "read", { path: "a.txt" });
    const messages: Message[] = [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: [
          { type: "toolCall", id: "call_read", name: "read", arguments: { path: "a.txt" } },
        ],
      },
      message,
    ];
    const session = await first.reopen(otherHost);

    await session.ingest(readList(messages, neutralCodec));

    const { objects } = await session.status();
    expect(objects.filter(({ state }) => state === "active")).toHaveLength(1);
  });

  it("refuse bad arguments with a result that says so", async () => {
    const { session } = await openTestSession();

    const answer = await call(session, "activate", { id: "f7" });

    expect(answer.ok).toBe(false);
    expect(answer.message).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining("f7") }],
    });
  });
});
