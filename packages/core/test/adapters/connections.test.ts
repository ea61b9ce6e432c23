import { silentLogger } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { describe, expect, it } from "vitest";
import { connectMany, type Connections } from "../../src/adapters/connections.ts";
import type { Message } from "../../src/chat/message.ts";
import { openContextSession } from "../../src/session/open-context-session.ts";
import { prompt } from "../history/host-messages.ts";
import { openTestSession, plainCodec } from "../session/test-session.ts";

interface TestConnections {
  readonly connections: Connections<Message>;
  readonly opened: readonly string[];
  readonly notices: readonly (readonly [sessionId: string, text: string])[];
}

async function testConnections(fails = false): Promise<TestConnections> {
  const { dependencies } = await openTestSession();
  const store = memoryStore({ clock: { now: () => 1_700_000_000_000 } });
  const opened: string[] = [];
  const notices: [string, string][] = [];
  const connections = connectMany<Message>({
    open: async (sessionId) => {
      opened.push(sessionId);
      if (fails) throw new Error("there is no disk");
      const parts = { ...dependencies, store, logger: silentLogger };
      return await openContextSession(parts, { harness: "test", sessionId });
    },
    codec: plainCodec,
    encode: (message) => message,
    hostTools: ["read"],
    notify: (text, sessionId) => void notices.push([sessionId, text]),
  });
  return { connections, opened, notices };
}

describe("the connections of a host with many sessions", () => {
  it("are one for each session, which is opened by its first hook", async () => {
    const { connections, opened } = await testConnections();
    const before = [connections.of("a") === connections.of("a"), opened.length];

    await connections.of("a").modelCall({ messages: [prompt("of a", 1)] });
    const other = await connections.of("b").modelCall({ messages: [prompt("of b", 1)] });

    expect([before, opened]).toEqual([
      [true, 0],
      ["a", "b"],
    ]);
    expect(JSON.stringify(other?.messages)).not.toContain("of a");
  });

  it("have the tools and the instruction before a session is opened", async () => {
    const { connections } = await testConnections();

    const { tools, instruction } = connections.of("a");

    expect(connections.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    expect(connections.tools.map(({ name }) => name)).not.toContain("read");
    expect(connections.instruction).toBe(instruction);
  });

  it("open a session again after its connection was closed", async () => {
    const { connections, opened } = await testConnections();
    const first = connections.of("a");
    await first.modelCall({ messages: [prompt("hello", 1)] });

    await connections.close("a");
    await connections.of("a").modelCall({ messages: [prompt("hello", 1)] });

    expect(opened).toEqual(["a", "a"]);
    expect(await first.modelCall({ messages: [prompt("hello", 1)] })).toBeUndefined();
  });

  it("say whose user is notified", async () => {
    const { connections, notices } = await testConnections(true);

    await connections.of("b").modelCall({ messages: [prompt("hello", 1)] });

    expect(notices).toEqual([["b", expect.stringContaining("There is no disk")]]);
  });

  it("are all closed by the disposal", async () => {
    const { connections } = await testConnections();
    const [one, other] = [connections.of("a"), connections.of("b")];
    await one.modelCall({ messages: [prompt("hello", 1)] });

    await connections[Symbol.asyncDispose]();

    const calls = [await one.modelCall({ messages: [] }), await other.modelCall({ messages: [] })];
    expect(calls).toEqual([undefined, undefined]);
  });
});
