import type { ContextSession, JsonObject, ViewOptions } from "@self-context-manager/core";
import { connect, fullSupport, type HarnessAdapter } from "@self-context-manager/core/host";
import { setTimeout as delay } from "node:timers/promises";

import { encodeSmall, smallCodec } from "./small-codec.ts";
import type { SmallHooks } from "./small-messages.ts";

/** What the harness offers. The contract tests the laws that need nothing else. */
export const smallHarnessAdapter: HarnessAdapter = {
  specification: "harness-1",
  harness: "small",
  supports: {
    ...fullSupport,
    images: false,
    ownMessages: false,
    compactionHook: false,
    summaries: false,
    otherExtensions: false,
    requestPayloads: false,
  },
};

export interface SmallAdapterOptions {
  /** Opens the session. Rejects if the store cannot be opened now. */
  readonly openSession: () => Promise<ContextSession>;
  /** The names of the harness's own tools. */
  readonly hostTools: readonly string[];
  /** What is known of the model, such as its context window. */
  readonly view: ViewOptions;
  /** Shows the user a text outside the chat. */
  readonly notify: (text: string) => void;
}

/** The hooks that connect a session with the harness. Dispose of them when the session ends. */
export interface SmallAdapter extends SmallHooks, AsyncDisposable {
  /** Switches managed context on or off. */
  turn(on: boolean): void;
  /** Closes the chat and begins a new one in the same session. */
  archive(): Promise<void>;
}

export function smallAdapter(options: SmallAdapterOptions): SmallAdapter {
  const connection = connect({
    open: options.openSession,
    codec: smallCodec,
    encode: encodeSmall,
    hostTools: options.hostTools,
    notify: options.notify,
    clock: {
      now: () => Date.now(),
      wait: async (ms) => await delay(ms, undefined, { ref: false }),
    },
  });
  const tools = connection.tools.map((tool) => ({
    name: tool.name,
    run: async (args: JsonObject, callId: string) => {
      const { text, isError: failed, details: extra } = await tool.run(args, callId);
      return { text, failed, extra };
    },
  }));
  return {
    get tools() {
      return connection.isOn ? tools : [];
    },
    turn: (on) => connection.turn(on),
    archive: async () => void (await (await connection.session()).archive()),
    prompt: async (text) => await connection.systemPrompt(text),
    request: async (messages) =>
      (await connection.modelCall({ messages, ...options.view }))?.messages,
    beforeTool: async (call) => await connection.beginTool(call),
    afterTool: async (call, { text, failed: isError = false }) =>
      await connection.endTool(call, { text, isError }),
    ended: async (messages) => {
      await connection.ingest(messages);
      await connection.endTools();
    },
    refused: async (error) => void (await connection.refused(error)),
    wentBack: () => connection.wentBack(),
    [Symbol.asyncDispose]: async () => await connection[Symbol.asyncDispose](),
  };
}
