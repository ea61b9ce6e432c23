import { aiSdkContext } from "@self-context-manager/adapter-ai-sdk";
import { openContextManager } from "@self-context-manager/compose";
import type { FileSource } from "@self-context-manager/core";
import { FileError } from "@self-context-manager/core/host";
import { isStepCount, type LanguageModel, type ModelMessage, streamText, type ToolSet } from "ai";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";

import { sharedManagers } from "./shared-managers.ts";

export interface ChatServerOptions {
  readonly model: LanguageModel;
  /** The folder of the users' stores. */
  readonly folder: string;
  /** Returns the name of the user who sends a request; undefined for a request that is not allowed. */
  readonly userOf: (request: IncomingMessage) => string | undefined;
  /** Returns the tools of a user. They must not show anything of another user. */
  readonly toolsOf: (user: string) => ToolSet;
  /** The TCP port. Default: a free one. */
  readonly port?: number;
}

export interface ChatServer extends AsyncDisposable {
  readonly url: string;
}

/**
 * Opens a server of chats. `POST /chats/ID` with a text sends a message of the user and streams the answer, and
 * `DELETE /chats/ID` forgets the messages of a chat. A session is open only during a request. Disposal breaks off the
 * running answers and waits until their stores are closed.
 */
export async function openChatServer(options: ChatServerOptions): Promise<ChatServer> {
  const { model, folder, userOf, toolsOf, port = 0 } = options;
  /** Each user has a store of their own, so that no name leads to an object of another user. */
  const managers = sharedManagers(async (user) => {
    const at = join(folder, `${fileNameOf(user)}.sqlite`);
    return await openContextManager({ at, files: noFiles, workspace: folder });
  });
  /** The chats, by user and id. A real server keeps them in its database. */
  const chats = new Map<string, readonly ModelMessage[]>();
  const running = new Set<string>();

  async function answer(chat: Chat, text: string, response: ServerResponse): Promise<void> {
    const { user, key } = chat;
    const messages = [...(chats.get(key) ?? []), { role: "user" as const, content: text }];
    const closed = new AbortController();
    response.once("close", () => closed.abort());
    await managers.use(user, async (manager) => {
      // Its disposal closes the session. The next request opens it again.
      await using context = aiSdkContext({
        openSession: () => manager.openSession({ harness: "chat-server", sessionId: key }),
        tools: toolsOf(user),
        notify: (notice) => console.warn(notice),
      });
      const result = streamText({
        model,
        instructions: "You help the user with their notes.",
        messages,
        tools: context.tools,
        prepareStep: context.prepareStep,
        stopWhen: isStepCount(20),
        abortSignal: closed.signal,
        onError: ({ error }) => console.warn(error),
      });
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
      for await (const part of result.textStream) response.write(part);
      chats.set(key, [...messages, ...(await result.responseMessages)]);
      await context.finish(result);
    });
  }

  async function answerAlone(chat: Chat, text: string, response: ServerResponse): Promise<void> {
    if (running.has(chat.key)) return end(response, 409, busy);
    running.add(chat.key);
    try {
      await answer(chat, text, response);
    } finally {
      running.delete(chat.key);
    }
    response.end();
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const user = userOf(request);
    const id = /^\/chats\/([\w-]{1,64})$/u.exec(request.url ?? "")?.[1];
    if (user === undefined) return end(response, 401, "Who are you?");
    if (id === undefined) return end(response, 404, "The path of a chat is /chats/ID.");
    const chat = { user, key: JSON.stringify([user, id]) };
    switch (request.method) {
      case "POST":
        return await answerAlone(chat, await textOf(request), response);
      case "DELETE":
        // The end of a running answer would store the messages again.
        if (running.has(chat.key)) return end(response, 409, busy);
        chats.delete(chat.key);
        return end(response, 204);
      default:
        return end(response, 405, "Use POST or DELETE.");
    }
  }

  /** The requests that are not finished. */
  const handling = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const handled = handle(request, response).catch((error: unknown) => {
      // Only this request fails. The user learns no detail, because it can be of the server.
      console.warn(error);
      if (response.headersSent) response.destroy();
      else end(response, 500, "The answer failed.");
    });
    handling.add(handled);
    void handled.finally(() => handling.delete(handled));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const place = typeof address === "object" ? address?.port : address;
  return {
    url: `http://127.0.0.1:${place}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      // The closed connections end the answers, which then close their sessions and stores.
      await Promise.all(handling);
    },
  };
}

interface Chat {
  readonly user: string;
  /** Names the chat among those of all users. It is the id of the session too. */
  readonly key: string;
}

const busy = "The chat waits for an answer. Send the request again after it.";

/** Returns a file name that is different for each user, also on a disk that ignores upper and lower case. */
function fileNameOf(user: string): string {
  return createHash("sha256").update(user).digest("hex");
}

/** The users have no files here. Without this source the model could read files of the server. */
const noFiles: FileSource = {
  resolve: (path) => path,
  list: async () => await Promise.resolve([]),
  stat: async () => await Promise.resolve(undefined),
  read: async (path) =>
    await Promise.reject(new FileError("FILE_MISSING", `There is no file at ${path}.`)),
};

function end(response: ServerResponse, status: number, text?: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
