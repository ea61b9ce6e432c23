import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import { neutralCodec } from "../../src/host/neutral-codec.ts";
import { prompt } from "../history/host-messages.ts";
import { textOfMessage } from "../session/view-parts.ts";
import { testConnection } from "./test-connection.ts";

const nested = (depth: number): unknown => {
  let value: unknown = "deep";
  for (let level = 0; level < depth; level += 1) value = { value };
  return value;
};

const call = (name: string, args: unknown, timestamp: number): Message =>
  ({
    role: "assistant",
    content: [{ type: "toolCall", id: `c${timestamp}`, name, arguments: args }],
    timestamp,
  }) as Message;

const result = (toolName: string, details: unknown, timestamp: number): Message =>
  ({
    role: "toolResult",
    toolCallId: `c${timestamp - 1}`,
    toolName,
    content: [{ type: "text", text: `output of ${toolName}` }],
    isError: false,
    details,
    timestamp,
  }) as Message;

const withoutTimes: typeof neutralCodec = {
  ...neutralCodec,
  identify: (message) => {
    const { timestamp: _, ...identity } = neutralCodec.identify(message);
    return identity;
  },
};

const notice = (what: string): string =>
  `self-context-manager: ${what} has values nested deeper than 500 levels. Their inner part is kept as text; everything else is managed.`;

describe("a message that is nested very deeply", () => {
  it("is named to the user once, with its turn and its tool, and the rest is managed", async () => {
    const { connection, notices } = await testConnection();
    const messages = [
      prompt("one", 1),
      call("bash", { command: "ls" }, 2),
      result("bash", { exitCode: 0 }, 3),
      prompt("two", 4),
      call("grep", nested(5_000), 5),
      result("grep", { exitCode: 0 }, 6),
      call("bash", { command: "ls" }, 7),
      result("bash", nested(5_000), 8),
      prompt("three", 9),
    ];

    const calls = [];
    for (const end of [4, 6, 8, 9, 9])
      calls.push(await connection.modelCall({ messages: messages.slice(0, end) }));

    expect(notices).toEqual([
      notice("the call of grep in turn 2"),
      notice("the result of bash in turn 2"),
    ]);
    const shown = (calls.at(-1)?.view?.messages ?? []).map(textOfMessage).join("\n");
    for (const text of ["one", "two", "three"]) expect(shown).toContain(text);
  });

  it("is named with its own turn if the session begins with a whole history", async () => {
    const { connection, notices } = await testConnection();

    await connection.modelCall({
      messages: [
        prompt("one", 1),
        call("grep", nested(5_000), 2),
        result("grep", {}, 3),
        prompt("two", 4),
        prompt("three", 5),
      ],
    });

    expect(notices).toEqual([notice("the call of grep in turn 1")]);
  });

  it("is named once in a host without times, and after its beginning was summarised", async () => {
    const { connection, notices } = await testConnection({ host: { codec: withoutTimes } });
    const deep = [call("grep", nested(5_000), 5), result("grep", {}, 6)];
    await connection.modelCall({ messages: [prompt("one", 1)] });
    await connection.modelCall({ messages: [prompt("one", 1), prompt("two", 4)] });
    const list = [prompt("a summary of the first turns", 3), prompt("two", 4), ...deep];

    await connection.modelCall({ messages: list });
    await connection.modelCall({ messages: [...list, prompt("three", 9)] });

    expect(notices).toEqual([notice("the call of grep in turn 2")]);
  });

  it("has names of tools as one line of limited length", async () => {
    const { connection, notices } = await testConnection();
    const names = ["a\u001B[31m\nb", "c".repeat(500), "d", "e", "e"];
    const content = names.map((name, index) => ({
      type: "toolCall",
      id: `c${index}`,
      name,
      arguments: nested(5_000),
    }));

    await connection.modelCall({
      messages: [prompt("one", 1), { role: "assistant", content, timestamp: 2 } as Message],
    });

    expect(notices).toEqual([
      notice(`an answer with calls of a [31m b, ${"c".repeat(64)}, d and 1 more in turn 1`),
    ]);
  });
});
