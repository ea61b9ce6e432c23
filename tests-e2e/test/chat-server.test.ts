import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import {
  type ChatServer,
  type ChatServerOptions,
  openChatServer,
} from "@self-context-manager/chat-server";
import { sharedManagers } from "@self-context-manager/chat-server/shared-managers";
import { openContextManager } from "@self-context-manager/compose";
import { runsEveryForm } from "@self-context-manager/store-contract";
import type { ModelReply, ModelRequest } from "@self-context-manager/testkit";
import { jsonSchema, tool } from "ai";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";

import { neutralRequest, streamParts } from "../src/ai-sdk/scripted-sdk-model.ts";

const users = Array.from({ length: 20 }, (_, index) => `user-${index}`);

/** The text that only one user has. It is long enough to leave the view. */
function secretOf(user: string): string {
  return `the secret of ${user}. ${"and more words of this user. ".repeat(60)}`;
}

const tools = (user: string) => ({
  show_note: tool({
    inputSchema: jsonSchema<object>({ type: "object", properties: {} }),
    execute: () => secretOf(user),
  }),
});

interface NoteModel {
  readonly model: LanguageModelV4;
  /** The users whose text a request for another user had. */
  readonly leaks: readonly string[];
}

/**
 * A model that shows the note for each message of the user, asks for objects by names that every session has, and then
 * answers. It keeps no request, so that only the server's memory grows.
 */
function noteModel(): NoteModel {
  const leaks: string[] = [];
  let calls = 0;

  function reply({ messages }: ModelRequest): ModelReply {
    const text = messages.findLast(({ role }) => role === "user")?.text ?? "";
    const [, user] = /from (user-\d+)/u.exec(text) ?? [];
    for (const [, other = ""] of JSON.stringify(messages).matchAll(/secret of (user-\d+)/gu))
      if (other !== user) leaks.push(other);
    if (messages.at(-1)?.role === "tool") return { text: `answer to ${text}`, calls: [] };
    calls += 1;
    const ids = ["f1", "t1", "t2", "note.txt"].map((id, index) => ({
      id: `on_${calls}_${index}`,
      name: "activate",
      arguments: { id },
    }));
    return { text: "", calls: [{ id: `show_${calls}`, name: "show_note", arguments: {} }, ...ids] };
  }

  return { model: streamingModel((request) => streamParts(reply(request))), leaks };
}

interface HeldModel {
  readonly model: LanguageModelV4;
  /** The requests, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** Lets the answers end. Before the call they have only begun. */
  readonly release: () => void;
}

/** A model whose answers wait in the middle. */
function heldModel(): HeldModel {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const requests: ModelRequest[] = [];

  async function* answer(): AsyncGenerator<LanguageModelV4StreamPart> {
    for (const part of streamParts({ text: "an answer", calls: [] })) {
      if (part.type === "text-end") await released;
      yield part;
    }
  }

  const model = streamingModel((request) => {
    requests.push(request);
    return answer();
  });
  return { model, requests, release };
}

/** Returns a model that answers each request with the parts of a stream. */
function streamingModel(
  answer: (
    request: ModelRequest,
  ) => AsyncIterable<LanguageModelV4StreamPart> | Iterable<LanguageModelV4StreamPart>,
): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "scripted.chat",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async () => await Promise.reject(new Error("the server streams")),
    doStream: async (call) => {
      const stream = ReadableStream.from(answer(neutralRequest(call)));
      return await Promise.resolve({ stream });
    },
  };
}

interface OpenedServer extends AsyncDisposable {
  readonly server: ChatServer;
  readonly folder: string;
}

/** Opens a server in a temporary folder. A request names its user in its header. */
async function openServer(
  model: LanguageModelV4,
  toolsOf: ChatServerOptions["toolsOf"] = () => ({}),
): Promise<OpenedServer> {
  const folder = mkdtempSync(join(tmpdir(), "scm-chats-"));
  const userOf: ChatServerOptions["userOf"] = ({ headers }) => headers.authorization;
  const server = await openChatServer({ model, folder, userOf, toolsOf });
  return {
    server,
    folder,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Sends a message of a user. The answer has begun when the result is there. */
async function send(server: ChatServer, user: string, chat: string, text: string) {
  const headers = { authorization: user };
  return await fetch(`${server.url}/chats/${chat}`, { method: "POST", headers, body: text });
}

async function forget(server: ChatServer, user: string, chat: string) {
  const headers = { authorization: user };
  return await fetch(`${server.url}/chats/${chat}`, { method: "DELETE", headers });
}

/** The descriptors of files that this process has open below a folder. */
function openFiles(folder: string): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      const path = readlinkSync(join("/proc/self/fd", name));
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // The descriptor of the list itself is closed again.
      return [];
    }
  });
}

function usedMemory(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

/** The chats that have a message at the same time. A long run has all users, with ten each. */
const count = runsEveryForm("adapter-ai-sdk") ? users.length * 10 : users.length + 4;

it.skipIf(process.platform !== "linux")(
  `${count} chats at once leave nothing open and see only their own user's text`,
  async () => {
    const { model, leaks } = noteModel();
    await using opened = await openServer(model, tools);
    const { server, folder } = opened;
    const ask = async (user: string, chat: string, text: string): Promise<string> => {
      const response = await send(server, user, chat, text);
      return await response.text();
    };
    const chats = Array.from({ length: count }, (_, index) => ({
      user: users[index % users.length] ?? "",
      chat: `chat-${Math.floor(index / users.length)}`,
    }));
    const round = async (number: number): Promise<void> => {
      const answers = await Promise.all(
        chats.map(async ({ user, chat }) => await ask(user, chat, `${number} from ${user}`)),
      );
      expect(answers).toEqual(chats.map(({ user }) => `answer to ${number} from ${user}`));
    };

    await round(1);
    await round(2);
    const before = usedMemory();
    await round(3);
    const grown = usedMemory() - before;
    const still = openFiles(folder);

    expect(still).toEqual([]);
    // Only the chats' messages grow, and what the engine compiles meanwhile. A session that stays open has far more.
    expect(grown).toBeLessThan(1_000_000 + chats.length * 20_000);
    expect(leaks).toEqual([]);
  },
);

it("keeps a chat until its answer has ended, and forgets it then", async () => {
  const { model, requests, release } = heldModel();
  await using opened = await openServer(model);
  const { server } = opened;

  const answer = await send(server, "ann", "a", "a secret");
  const early = await forget(server, "ann", "a");
  release();
  await answer.text();
  const late = await forget(server, "ann", "a");
  const next = await send(server, "ann", "a", "hello");
  await next.text();

  expect([early.status, late.status]).toEqual([409, 204]);
  expect(requests.map(({ messages }) => messages.map(({ text }) => text))).toEqual([
    ["a secret"],
    ["hello"],
  ]);
});

it.skipIf(process.platform !== "linux")(
  "closes the stores of running answers before its disposal resolves",
  async () => {
    const { model } = heldModel();
    await using opened = await openServer(model);
    const { server, folder } = opened;

    const answer = await send(server, "ann", "a", "hello");
    const before = openFiles(folder);
    await server[Symbol.asyncDispose]();
    const after = openFiles(folder);

    expect(before).not.toEqual([]);
    expect(after).toEqual([]);
    await expect(answer.text()).rejects.toThrow("terminated");
  },
);

it("gives users whose names differ only in case different stores and sessions", async () => {
  const { model, release } = heldModel();
  await using opened = await openServer(model);
  const { server, folder } = opened;

  release();
  for (const user of ["ann", "Ann"]) await (await send(server, user, "a", "hello")).text();
  const stores = readdirSync(folder).filter((name) => name.endsWith(".sqlite"));
  const sessions = await Promise.all(
    stores.map(async (name) => {
      await using manager = await openContextManager({ at: join(folder, name), watch: false });
      const { items } = await manager.store.find({ where: { type: "session" } });
      return items.map(({ body }) => body["session_id"]);
    }),
  );

  expect(new Set(stores.map((name) => name.toLowerCase())).size).toBe(2);
  expect(sessions.map(({ length }) => length)).toEqual([1, 1]);
  expect(sessions[0]).not.toEqual(sessions[1]);
});

it("opens a user's manager again after one that could not be closed", async () => {
  let closings = 0;
  const managers = sharedManagers(async () => ({
    ...(await openContextManager({ store: "memory", watch: false })),
    async [Symbol.asyncDispose]() {
      closings += 1;
      if (closings === 1) throw new Error("the store is locked");
      await Promise.resolve();
    },
  }));

  const first = managers.use("ann", async () => await Promise.resolve("first"));
  await expect(first).rejects.toThrow("the store is locked");
  const second = managers.use("ann", async () => await Promise.resolve("second"));

  await expect(second).resolves.toBe("second");
});
