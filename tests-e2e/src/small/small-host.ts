import { memoryStore } from "@self-context-manager/store-memory";
import {
  type Availability,
  breakableStore,
  countedIds,
  memoryFolder,
  type ModelReply,
  type ModelRequest,
  neutralMessage,
  type NeutralParts,
  type OpenHost,
  openTriedSession,
  scriptedCalls,
  scriptedTools,
  storedHashes,
  storedPrompts,
  storedTexts,
} from "@self-context-manager/testkit";
import { toJson } from "@self-context-manager/core/host";

import { type SmallAdapter, smallAdapter, smallHarnessAdapter } from "./small-adapter.ts";
import { type SmallHarness, smallHarness, type SmallRequest } from "./small-harness.ts";
import type { SmallAnswer, SmallMessage } from "./small-messages.ts";
import { memoryMask } from "../harness/scripted-host.ts";

/** Opens hosts that are the small harness with its adapter, on a folder and a store in memory. */
export const smallHost: OpenHost = async (options) => {
  const folder = memoryFolder(options.files);
  const mask = memoryMask();
  const tools = scriptedTools(folder);
  const availability: Availability = { isBroken: options.brokenStore };
  const store = breakableStore(memoryStore(), availability);
  const ids = countedIds();
  const requests: ModelRequest[] = [];
  const notices: string[] = [];
  let sessions = 1;
  let isOn = true;
  let current = open([]);

  function open(messages: readonly SmallMessage[]): {
    readonly harness: SmallHarness;
    readonly adapter: SmallAdapter;
  } {
    const sessionId = `small-${sessions}`;
    const adapter = smallAdapter({
      openSession: async () =>
        await openTriedSession(
          { store, files: folder, ids, workspace: folder.path, mask },
          options.settings,
          { harness: smallHarnessAdapter.harness, sessionId },
        ),
      hostTools: tools.map(({ name }) => name),
      view: { thinking: options.thinking },
      notify: (text) => void notices.push(text),
    });
    adapter.turn(isOn);
    const hooks = options.adapter === "managed" ? adapter : {};
    return { adapter, harness: smallHarness({ model, tools, hooks: () => hooks, messages }) };
  }

  async function model(request: SmallRequest): Promise<SmallAnswer> {
    const neutral = neutralRequest(request);
    requests.push(neutral);
    return await Promise.resolve(answerOf(options.model(neutral)));
  }

  async function reopen(): Promise<void> {
    const { adapter, harness } = current;
    await adapter[Symbol.asyncDispose]();
    current = open(harness.messages);
  }

  return {
    settings: options.settings,
    calls: scriptedCalls(),
    requests,
    notices,
    prompt: async (text) => await current.harness.say(text),
    record: async () => await Promise.resolve(toJson(current.harness.messages)),
    restart: reopen,
    fork: async () => {
      sessions += 1;
      await reopen();
    },
    setBroken: (broken) => void (availability.isBroken = broken),
    async turn(on) {
      isOn = on;
      await Promise.resolve(current.adapter.turn(on));
    },
    writeFile: async (path, text) => await Promise.resolve(folder.set(path, text)),
    goBack: async (prompt) => await Promise.resolve(current.harness.goBack(prompt)),
    systemPrompts: async () => await storedPrompts(store),
    storedTexts: async () => await storedTexts(store),
    requestHashes: async () => await storedHashes(store),
    // The harness records no usage.
    changeUsage: async () => await Promise.resolve(),
    // The declared features do not contain these, so no law calls them.
    addOwnMessage: async () => await Promise.reject(new Error("there are no own messages")),
    compact: async () => await Promise.reject(new Error("the list is never shortened")),
    archive: async () => await current.adapter.archive(),
    compactions: async () => await Promise.resolve(0),
    async [Symbol.asyncDispose]() {
      await current.adapter[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
};

function neutralRequest({ prompt, tools, messages }: SmallRequest): ModelRequest {
  return {
    instruction: prompt,
    tools,
    messages: messages.map((message) => neutralMessage(partsOf(message))),
  };
}

function partsOf(message: SmallMessage): NeutralParts {
  const { text } = message;
  switch (message.role) {
    case "user":
      return { role: "user", text };
    case "model": {
      const toolCalls = message.calls.map(({ id, name, args }) => ({ id, name, arguments: args }));
      const thinking = message.reasoning?.text;
      return {
        role: "assistant",
        text,
        toolCalls,
        ...(thinking === undefined ? {} : { thinking }),
      };
    }
    case "tool":
      return { role: "tool", text, toolCallId: message.callId };
  }
}

function answerOf({ text, calls, thinking, fails, refuses }: ModelReply): SmallAnswer {
  const error = refuses ?? (fails === true ? "the answer broke off" : undefined);
  return {
    role: "model",
    text,
    calls: calls.map(({ id, name, arguments: args }) => ({ id, name, args })),
    ...(thinking === undefined ? {} : { reasoning: { text: thinking, signature: "signed" } }),
    ...(error === undefined ? {} : { error }),
  };
}
