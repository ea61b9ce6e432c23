import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { Layout } from "../../src/view/layout.ts";
import { openTestSession, plainCodec } from "./test-session.ts";
import { textOfMessage } from "./view-parts.ts";

const layouts: readonly (readonly [string, Layout])[] = [
  ["epoch", epochLayout()],
  ["pooled", pooledLayout],
];

const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "signed" } as const;

/** Messages as agents without types write them. */
const untyped = (...messages: readonly object[]): readonly Message[] =>
  messages.map((message, index) => ({ ...message, timestamp: index + 1 })) as unknown as Message[];

describe.each(layouts)("odd answers (%s)", (_name, layout) => {
  it.each([
    ["a text", "the output", "the output"],
    ["null", null, ""],
  ])("a result whose content is %s is the result of its call", async (_what, content, shown) => {
    const { session } = await openTestSession({ layout });
    const call = { type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } };

    await session.ingest(
      readList(
        untyped(
          { role: "user", content: "go on" },
          { role: "assistant", content: [call] },
          { role: "toolResult", toolCallId: "c1", toolName: "bash", content, isError: false },
          { role: "assistant", content: "as a text" },
        ),
        plainCodec,
      ),
    );
    const { messages } = await session.nextView();

    const all = messages.map(textOfMessage).join("\n");
    expect(all).toContain(shown);
    expect(all).toContain("as a text");
    expect(all).not.toMatch(/no result|"role"/u);
  });

  it.each([
    ["nothing else", [thinking]],
    ["an empty text", [thinking, { type: "text", text: " \n" }]],
    ["a text before it", [{ type: "text", text: "well" }, thinking]],
  ])("no answer ends with signed thinking: %s", async (_what, content) => {
    const { session } = await openTestSession({ layout });

    await session.ingest(
      readList(
        untyped(
          { role: "user", content: "go on" },
          { role: "assistant", content },
          { role: "user", content: "and now" },
        ),
        plainCodec,
      ),
    );
    const { messages } = await session.nextView();

    const ends = messages.flatMap((message) =>
      message.role === "assistant" ? [message.content.at(-1)?.type] : [],
    );
    expect(ends.filter((type) => type !== "text")).toEqual([]);
    expect(messages.map(textOfMessage)).toEqual(expect.arrayContaining(["go on", "and now"]));
  });

  it("a value nested very deeply is shown in the same way after a resume", async () => {
    const opened = await openTestSession({ layout });
    let deep: unknown = "the innermost";
    for (let level = 0; level < 2_000; level += 1) deep = { deep };
    const call = { type: "toolCall", id: "c1", name: "find", arguments: { deep } };
    const list = readList(
      untyped(
        { role: "user", content: "go on" },
        { role: "assistant", content: [call] },
        { role: "user", content: "and now" },
      ),
      plainCodec,
    );
    await opened.session.ingest(list);
    const before = await opened.session.nextView();

    const resumed = await opened.reopen();
    await resumed.ingest(list);
    const after = await resumed.nextView();

    expect(JSON.stringify(after.messages)).toBe(JSON.stringify(before.messages));
    // The innermost part is a text once, not a text in a text.
    expect(JSON.stringify(before.messages)).toContain(`:{\\"deep\\":\\"the innermost\\"}`);
  });
});
