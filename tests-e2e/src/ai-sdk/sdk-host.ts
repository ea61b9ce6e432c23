import {
  aiSdkAdapter,
  aiSdkContext,
  type AiSdkContext,
  type SdkStep,
} from "@self-context-manager/adapter-ai-sdk";
import { systemClock, uuidIds } from "@self-context-manager/compose";
import type { ContextSession, JsonValue } from "@self-context-manager/core";
import { sha256, toJson } from "@self-context-manager/core/host";
import { memoryStore } from "@self-context-manager/store-memory";
import {
  type Availability,
  breakableStore,
  memoryFolder,
  type OpenHost,
  openTriedSession,
  scriptedCalls,
  storedHashes,
  storedPrompts,
  storedTexts,
} from "@self-context-manager/testkit";
import {
  generateText,
  isStepCount,
  type ModelMessage,
  streamText,
  type ToolSet,
  wrapLanguageModel,
} from "ai";

import { type OpenSdkModel, openScriptedModel } from "./scripted-sdk-model.ts";
import { sdkTools } from "./sdk-tools.ts";
import { memoryMask } from "../harness/scripted-host.ts";

/**
 * How an app uses the adapter: `prepareStep` and the wrapped tools, the middleware with the wrapped tools, or only the
 * middleware.
 */
export type SdkDoor = "prepareStep" | "middleware" | "middleware alone";

export interface SdkHostOptions {
  readonly door?: SdkDoor;
  readonly function?: "generateText" | "streamText";
  /** Default: the SDK's mock model. */
  readonly openModel?: OpenSdkModel;
}

/** Returns hosts that are apps on the AI SDK, each with one chat, on the memory store. */
export function sdkHost({
  door = "prepareStep",
  function: name = "generateText",
  openModel = openScriptedModel,
}: SdkHostOptions = {}): OpenHost {
  return async (options) => {
    const { other = {} } = options;
    const folder = memoryFolder(options.files);
    const mask = memoryMask();
    const availability: Availability = { isBroken: options.brokenStore };
    const store = breakableStore(memoryStore(), availability);
    const ids = uuidIds(systemClock);
    const notices: string[] = [];
    let isScripted = false;
    const sdk = await openModel({
      ...options,
      model: (request) => {
        const reply = options.model(request);
        isScripted = reply.fails === true || reply.refuses !== undefined;
        return reply;
      },
    });
    const ownTools = sdkTools(folder, options.other);
    let isOn = options.adapter === "managed";
    let messages: ModelMessage[] = [];
    let chats = 1;
    let session: ContextSession | undefined;
    /** Records the last answer. */
    let finish: (() => Promise<void>) | undefined;
    let context = open();

    function open(): AiSdkContext<ToolSet> {
      return aiSdkContext({
        openSession: async () =>
          (session = await openTriedSession(
            { store, files: folder, ids, workspace: folder.path, mask },
            options.settings,
            { harness: aiSdkAdapter.harness, sessionId: `chat-${chats}` },
          )),
        tools: ownTools,
        notify: (text) => void notices.push(text),
      });
    }

    /** What other code of the app does to one request. */
    function change(): { add: ModelMessage[]; leavesOut: (message: ModelMessage) => boolean } {
      const texts = [other.appends?.(), other.adds?.()].filter((text) => text !== undefined);
      return {
        add: texts.map((content) => ({ role: "user", content })),
        leavesOut: ({ content }) => other.leavesOut?.(saidIn(content)) === true,
      };
    }

    /** Runs the model until it gives an answer without calls. Returns the messages of the run. */
    async function run(): Promise<readonly ModelMessage[]> {
      const isWrapped = isOn && door !== "prepareStep";
      const settings = {
        model: isWrapped
          ? wrapLanguageModel({ model: sdk.model, middleware: context.middleware })
          : sdk.model,
        instructions: "You are an agent.",
        messages,
        allowSystemInMessages: true,
        tools: isOn && door !== "middleware alone" ? context.tools : ownTools,
        stopWhen: isStepCount(1_000),
        maxRetries: 0,
        ...(isOn && door === "prepareStep"
          ? { prepareStep: async (step: SdkStep) => await context.prepareStep(step, change()) }
          : {}),
      };
      if (name === "generateText") {
        const made = await generateText(settings);
        finish = async () => await context.finish(made);
        return made.responseMessages;
      }
      const failed = Promise.withResolvers<never>();
      const result = streamText({ ...settings, onError: ({ error }) => failed.reject(error) });
      await Promise.race([result.consumeStream(), failed.promise]);
      finish = async () => await context.finish(result);
      return await result.responseMessages;
    }

    return {
      settings: options.settings,
      calls: scriptedCalls(),
      requests: sdk.requests,
      notices,
      prompt: async (text, images = []) => {
        const files = images.map((data) => ({
          type: "file" as const,
          mediaType: "image/png",
          data: { type: "data" as const, data },
        }));
        messages = [...messages, { role: "user", content: [{ type: "text", text }, ...files] }];
        try {
          messages = [...messages, ...(await run())];
        } catch (error) {
          // The app shows the error to the user, and the chat has no answer.
          if (!isScripted) throw error;
        }
      },
      record: async () => await Promise.resolve(comparable(toJson(messages))),
      restart: async () => {
        await context[Symbol.asyncDispose]();
        context = open();
      },
      fork: async () => {
        await context[Symbol.asyncDispose]();
        chats += 1;
        context = open();
      },
      setBroken: (broken) => void (availability.isBroken = broken),
      turn: async (on) => await Promise.resolve(void (isOn = on)),
      writeFile: async (path, text) => await Promise.resolve(folder.set(path, text)),
      addOwnMessage: async (content) => {
        messages = [...messages, { role: "system", content }];
        await Promise.resolve();
      },
      changeUsage: async () => {
        messages = messages.map((one, index) => {
          const cacheControl = { type: "ephemeral", ttl: index % 2 === 0 ? "5m" : "1h" };
          return { ...one, providerOptions: { anthropic: { cacheControl } } };
        });
        await Promise.resolve();
      },
      systemPrompts: async () => await storedPrompts(store),
      storedTexts: async () => await storedTexts(store),
      requestHashes: async () => await storedHashes(store),
      sentHashes: () => sdk.bodies.map((one) => sha256(one)),
      goBack: async (prompt) => {
        const said = messages.filter(({ role }) => role === "user")[prompt];
        messages = messages.slice(0, said === undefined ? 0 : messages.indexOf(said));
        await Promise.resolve();
      },
      compact: async () => await Promise.reject(new Error("the SDK does not shorten a chat")),
      archive: async () => {
        await finish?.();
        await session?.archive();
      },
      compactions: async () => await Promise.resolve(0),
      [Symbol.asyncDispose]: async () => {
        availability.isBroken = false;
        await context[Symbol.asyncDispose]();
        await sdk[Symbol.asyncDispose]();
        await store[Symbol.asyncDispose]();
      },
    };
  };
}

/**
 * Returns a record without the values that differ between two runs. The SDK names all tools of the app in its error for an
 * unknown one, so the context tools too, and Anthropic's provider keeps the usage with the answer.
 */
function comparable(record: JsonValue): JsonValue {
  const text = JSON.stringify(record, (name, value: unknown) => (name === "usage" ? {} : value));
  return JSON.parse(text.replaceAll(/Available tools: [\w, ]+/gu, "Available tools")) as JsonValue;
}

function saidIn(content: ModelMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
