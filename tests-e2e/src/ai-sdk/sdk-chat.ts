import {
  aiSdkContext,
  type AiSdkContext,
  type AiSdkContextOptions,
} from "@self-context-manager/adapter-ai-sdk";
import { systemClock, uuidIds } from "@self-context-manager/compose";
import type { ContextSession } from "@self-context-manager/core";
import { memoryStore } from "@self-context-manager/store-memory";
import {
  memoryFolder,
  openTriedSession,
  type ModelReply,
  type ModelRequest,
  type ModelToolCall,
} from "@self-context-manager/testkit";
import { generateText, isStepCount, type ModelMessage, type ToolSet } from "ai";

import { type OpenSdkModel, openScriptedModel } from "./scripted-sdk-model.ts";
import { sdkTools } from "./sdk-tools.ts";

/** A chat of an app on the AI SDK, whose messages the test keeps. */
export interface SdkChat extends AsyncDisposable {
  readonly context: AiSdkContext<ToolSet>;
  readonly requests: readonly ModelRequest[];
  readonly notices: readonly string[];
  /** Runs the model with these messages. Each answer of the model is a text or calls. Returns the messages of the run. */
  run(
    messages: readonly ModelMessage[],
    answers: readonly (string | readonly ModelToolCall[])[],
    settings?: Partial<Parameters<typeof generateText>[0]>,
  ): Promise<readonly ModelMessage[]>;
  /** Opens the same session again, as a server does that has forgotten it. */
  restart(): Promise<void>;
  session(): Promise<ContextSession>;
}

export interface SdkChatOptions {
  readonly tools?: ToolSet;
  readonly openModel?: OpenSdkModel;
  readonly summaries?: AiSdkContextOptions<ToolSet>["summaries"];
}

/** Opens a chat on the memory store, with the default settings. */
export async function openSdkChat({
  tools,
  openModel = openScriptedModel,
  summaries,
}: SdkChatOptions = {}): Promise<SdkChat> {
  const folder = memoryFolder({ "a.txt": "the text of a\n", "b.txt": "the text of b\n" });
  const store = memoryStore();
  const ids = uuidIds(systemClock);
  const notices: string[] = [];
  let waiting: ModelReply[] = [];
  const sdk = await openModel({
    thinking: "free",
    model: () => waiting.shift() ?? { text: "", calls: [], refuses: "the script has ended" },
  });
  const ownTools = tools ?? sdkTools(folder);
  let current: ContextSession | undefined;
  const openSession = async (): Promise<ContextSession> => {
    const place = { store, files: folder, ids, workspace: folder.path };
    const host = { harness: "ai-sdk", sessionId: "chat" };
    current = await openTriedSession(place, "defaults", host);
    return current;
  };
  const open = (): AiSdkContext<ToolSet> =>
    aiSdkContext({
      openSession,
      tools: ownTools,
      notify: (text) => void notices.push(text),
      ...(summaries === undefined ? {} : { summaries }),
    });
  let context = open();
  return {
    get context() {
      return context;
    },
    requests: sdk.requests,
    notices,
    async run(messages, answers, settings = {}) {
      waiting = answers.map((answer) =>
        typeof answer === "string" ? { text: answer, calls: [] } : { text: "", calls: answer },
      );
      const result = await generateText({
        model: sdk.model,
        messages: [...messages],
        tools: context.tools,
        prepareStep: context.prepareStep,
        stopWhen: isStepCount(100),
        maxRetries: 0,
        ...settings,
      } as Parameters<typeof generateText>[0]);
      await context.finish(result);
      return result.responseMessages;
    },
    async restart() {
      await context[Symbol.asyncDispose]();
      context = open();
    },
    session: async () => current ?? (await openSession()),
    async [Symbol.asyncDispose]() {
      await context[Symbol.asyncDispose]();
      await sdk[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Returns a message of the user. */
export function said(content: string): ModelMessage {
  return { role: "user", content };
}
