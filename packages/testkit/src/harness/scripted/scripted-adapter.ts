import {
  connect,
  type ContextFigures,
  fullSupport,
  type HarnessAdapter,
  type HostClock,
  type MessageCodec,
  type ThinkingBinding,
} from "@self-context-manager/core/host";
import type { ContextSession, HostSession } from "@self-context-manager/core";
import { defined, jsonObject } from "@self-context-manager/objects";

import { scriptedCodec, scriptedMessage, summaryMark } from "./scripted-codec.ts";
import type { ScriptedMessage } from "./scripted-message.ts";
import type { ScriptedPlugin } from "./scripted-plugin.ts";

/** The adapter's declaration. The scripted harness offers everything that a law requires. */
export const scriptedHarnessAdapter: HarnessAdapter = {
  specification: "harness-1",
  harness: "scripted",
  supports: fullSupport,
};

export interface ScriptedAdapterOptions {
  readonly sessionId: string;
  /** Opens a session on the store. Rejects if the store cannot be opened now. */
  readonly openSession: (host: HostSession) => Promise<ContextSession>;
  /** Notifies the user. */
  readonly notify: (text: string) => void;
  /** Starts switched off. */
  readonly off?: boolean;
  /** Replaces the codec that recognises messages by their ids. */
  readonly codec?: MessageCodec<ScriptedMessage>;
  /** The model's context window, in tokens. `undefined`: no limit. */
  readonly contextWindow?: number;
  /** Whether the model binds its thinking. Default: `free`. */
  readonly thinking?: ThinkingBinding;
  /** Lets no hook wait long for a store that does not work. Default: hooks wait until the store answers. */
  readonly clock?: HostClock;
  /** The name of the harness's tool that reads files. Default: `read`. */
  readonly readTool?: string;
}

export interface ScriptedAdapter extends Required<ScriptedPlugin> {
  /** Switches the adapter on or off, as the user does. */
  turn(on: boolean): void;
  /** Archives the chat with these messages, as the user does. */
  archive(messages: readonly ScriptedMessage[]): Promise<void>;
  /** Returns the figures that the user can see. */
  figures(): Promise<ContextFigures>;
}

/**
 * The adapter of the scripted harness, built on `connect` of core. It is an example of how the hooks of a host become calls
 * of a connection.
 */
export function scriptedAdapter(options: ScriptedAdapterOptions): ScriptedAdapter {
  const { harness } = scriptedHarnessAdapter;
  const { codec = scriptedCodec, contextWindow, thinking, readTool = "read" } = options;
  const viewOptions = defined({ contextWindow, thinking });
  const connection = connect({
    open: async () => await options.openSession({ harness, sessionId: options.sessionId }),
    codec,
    encode: scriptedMessage,
    hostTools: [readTool],
    notify: options.notify,
    breakpoints: "own",
    ...defined({ clock: options.clock }),
    isOff: options.off === true,
  });

  /** Reports that the provider refused the last request, before the next view is made. */
  async function reportRefusal(messages: readonly ScriptedMessage[]): Promise<void> {
    const answer = messages.findLast(({ kind }) => kind === "model");
    const isRefused = answer?.kind === "model" && answer.error !== undefined;
    if (isRefused && connection.isManaged) await connection.refused(answer.error);
  }

  return {
    turn: (on) => connection.turn(on),
    tools: () =>
      (connection.isOn ? connection.tools : []).map((tool) => ({
        name: tool.name,
        run: async (input, callId) => {
          const { text, isError, details } = await tool.run(input, callId);
          return { text, failed: isError, extra: details };
        },
      })),
    instruction: async (text) => await connection.systemPrompt(text),
    assemble: async (sent, own = sent) => {
      await reportRefusal(own);
      // Another extension passes a changed copy of a message under the same id.
      const known = new Set(own.map(({ id }) => id));
      const added = new Set(sent.filter(({ id }) => !known.has(id)));
      const request = { messages: sent, host: own, added, ...viewOptions };
      return (await connection.modelCall(request))?.messages;
    },
    afterTool: async ({ id, name, arguments: args }, { text, failed }) => {
      await connection.endTool({ id, name, args }, { text, isError: failed });
    },
    beforeTool: async ({ id, name, arguments: args }) =>
      await connection.beginTool({ id, name, args }),
    sends: (payload) => {
      const marked = connection.payload(payload);
      return marked === undefined ? undefined : jsonObject(marked);
    },
    answered: (tokens) => connection.answered({ input: tokens, cacheRead: 0, cacheWrite: 0 }),
    archive: async (messages) => {
      // The harness passes the last answer only with the next prompt.
      await connection.ingest(messages);
      await (await connection.session()).archive();
    },
    figures: async () => connection.figures(await connection.peek(viewOptions)),
    wentBack: () => connection.wentBack(),
    summary: async (messages) => {
      if (!connection.isOn) return undefined;
      // The harness removes these messages from its list and does not send them again. Those that an earlier failure
      // skipped are ingested now.
      await connection.ingest(messages);
      try {
        const { turnCount, objects } = await (await connection.session()).status();
        return `${summaryMark} ${turnCount} turns and ${objects.length} objects are kept.`;
      } catch {
        // The user has been notified of the failure. The harness writes the summary itself.
        return undefined;
      }
    },
  };
}
