import {
  type AssistantMessage,
  epochLayout,
  type HostSession,
  type Layout,
  type Message,
  neutralCodec,
  openContextSession,
  pooledLayout,
  silentLogger,
  windowPolicy,
  readList,
} from "@self-context-manager/core";
import { answerDetails, hostText } from "@self-context-manager/core/host";
import {
  FileError,
  type FileSource,
  type JsonObject,
  type ObjectId,
  objectId,
  type ObjectStore,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { posix } from "node:path";

import type { InspectedStore } from "../src/inspected-store.ts";

const layouts: readonly Layout[] = [epochLayout(), pooledLayout];

/** One step of a recorded session: what the user, the model or a tool did, and then one call. */
export type Step =
  | { readonly user: string }
  | { readonly run: JsonObject; readonly output: string; readonly tool?: string }
  | { readonly read: string; readonly text?: string };

export interface RecordedSession {
  readonly store: ObjectStore;
  readonly id: ObjectId;
}

const start = Date.UTC(2026, 0, 1);

/** A store in memory whose clock does not advance. */
export function quietStore(): ObjectStore {
  return memoryStore({ clock: { now: () => start } });
}

let count = 0;

/** Records a session, with one model call after each step. Files are in memory. */
export async function recordedSession(
  steps: readonly Step[],
  options: {
    readonly store?: ObjectStore;
    readonly host?: HostSession;
    readonly systemPrompt?: string;
  } = {},
): Promise<RecordedSession> {
  const {
    store = quietStore(),
    host = { harness: "test", sessionId: "one" },
    systemPrompt = "You help people with their work.",
  } = options;
  const texts = new Map<string, string>();
  const session = await openContextSession(
    {
      store,
      files: filesIn(texts),
      ids: {
        next: () => {
          count += 1;
          return objectId(`0190aaaa-0000-7000-8000-${String(count).padStart(12, "0")}`);
        },
      },
      logger: silentLogger,
      policy: windowPolicy(),
      layout: layouts[0] ?? epochLayout(),
      workspace: "/work",
      readLimits: { lines: 2_000, characters: 50_000 },
    },
    host,
  );
  await session.recordSystemPrompt("host", systemPrompt);
  const messages: Message[] = [];
  for (const [index, step] of steps.entries()) {
    const stamp = { timestamp: start + index };
    count += 1;
    const id = `call_${count}`;
    const asks = (name: string, args: JsonObject): AssistantMessage => ({
      role: "assistant",
      content: [{ type: "toolCall", id, name, arguments: args }],
      usage: { input: 10 + index, cacheRead: 100 * index, cacheWrite: 20 },
      ...stamp,
    });
    if ("user" in step) messages.push({ role: "user", content: step.user, ...stamp });
    else if ("run" in step) {
      const tool = step.tool ?? "bash";
      messages.push(asks(tool, step.run), {
        role: "toolResult",
        toolCallId: id,
        toolName: tool,
        content: [{ type: "text", text: step.output }],
        isError: false,
        ...stamp,
      });
    } else {
      if (step.text !== undefined) texts.set(`/work/${step.read}`, step.text);
      messages.push(asks("read", { path: step.read }));
      const answer = await session.read({ path: step.read }, { callId: id });
      messages.push({
        role: "toolResult",
        toolCallId: id,
        toolName: "read",
        content: [{ type: "text", text: hostText(answer) }],
        details: answerDetails(answer),
        isError: !answer.ok,
        ...stamp,
      });
    }
    await session.ingest(readList(messages, neutralCodec));
    await session.nextView();
  }
  await session[Symbol.asyncDispose]();
  const where = { type: "session", session_id: host.sessionId };
  const [stored] = (await store.find({ where })).items;
  if (stored === undefined) throw new TypeError("the session is not in the store");
  return { store, id: stored.body.id };
}

/** A store in the form in which the questions get it. */
export function inspected(store: ObjectStore, more: Partial<InspectedStore> = {}): InspectedStore {
  return {
    store,
    layouts,
    place: "/store.sqlite",
    kind: "memory",
    ...more,
  };
}

function filesIn(texts: ReadonlyMap<string, string>): FileSource {
  return {
    resolve: (path, base) => posix.resolve(base, path),
    list: async () => await Promise.resolve([]),
    stat: async (path) => {
      const text = texts.get(path);
      return await Promise.resolve(
        text === undefined
          ? undefined
          : { realPath: path, kind: "file", size: text.length, modified: 0 },
      );
    },
    read: async (path) => {
      const text = texts.get(path);
      if (text === undefined) throw new FileError("FILE_MISSING", `There is no file at ${path}.`);
      return await Promise.resolve({ realPath: path, size: text.length, modified: 0, text });
    },
  };
}
