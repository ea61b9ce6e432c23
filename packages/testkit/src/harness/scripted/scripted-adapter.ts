import {
  answerDetails,
  contextTools,
  type HarnessAdapter,
  markedList,
  type MessageCodec,
  type ThinkingBinding,
  hostText,
} from "@self-context-manager/core/host";
import {
  type ContextSession,
  type HostSession,
  type HostSignals,
  standingInstruction,
} from "@self-context-manager/core";

import type { ModelToolCall } from "../model-request.ts";
import { scriptedCodec, scriptedMessage, summaryMark } from "./scripted-codec.ts";
import type { OutputContent, ScriptedMessage } from "./scripted-message.ts";
import type { ScriptedPlugin, ScriptedTool } from "./scripted-plugin.ts";
import { pathIn } from "./scripted-tools.ts";

/** The adapter's declaration. The scripted harness offers everything that a law requires. */
export const scriptedHarnessAdapter: HarnessAdapter = {
  specification: "harness-1",
  harness: "scripted",
  supports: {
    contextAssembly: true,
    toolRegistration: true,
    toolGate: true,
    toolEvents: true,
    sessionIds: true,
    instructions: true,
    images: true,
    ownMessages: true,
    branches: true,
    forks: true,
    compactionHook: true,
    notices: true,
    otherExtensions: true,
    requestErrors: true,
    signedThinking: true,
  },
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
  /** The name of the harness's tool that reads files. Default: `read`. */
  readonly readTool?: string;
}

export interface ScriptedAdapter extends Required<ScriptedPlugin> {
  /** Switches the adapter on or off, as the user does. */
  turn(on: boolean): void;
}

/**
 * The adapter of the scripted harness, built on core only. It is an example of how the hooks of a host become calls
 * of a session.
 */
export function scriptedAdapter(options: ScriptedAdapterOptions): ScriptedAdapter {
  const { harness } = scriptedHarnessAdapter;
  const codec = options.codec ?? scriptedCodec;
  const { contextWindow, thinking, readTool = "read" } = options;
  const viewOptions = {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(thinking === undefined ? {} : { thinking }),
  };
  let isOn = options.off !== true;
  let isNotified = false;
  let isRewound = false;
  let opened: ContextSession | undefined;
  /** The call whose view was sent last. */
  let sentCall: number | undefined;

  async function open(): Promise<ContextSession> {
    opened ??= await options.openSession({ harness, sessionId: options.sessionId });
    return opened;
  }

  /**
   * Runs a piece of the adapter's work. If it fails, the host continues with its own messages, and the user is
   * notified once.
   */
  async function guarded<Result>(
    work: (session: ContextSession) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (!isOn) return undefined;
    try {
      return await work(await open());
    } catch (error) {
      // Availability comes first: no failure of the context manager ends a run.
      if (!isNotified)
        options.notify(`The messages are sent to the model unchanged. ${String(error)}`);
      isNotified = true;
      return undefined;
    }
  }

  /** Reports that the provider refused the last request, before the next view is made. */
  async function reportRefusal(
    session: ContextSession,
    messages: readonly ScriptedMessage[],
  ): Promise<void> {
    const answer = messages.findLast(({ kind }) => kind === "model");
    if (sentCall !== undefined && answer?.kind === "model" && answer.error !== undefined)
      await session.recordRefusal({ error: answer.error, call: sentCall });
    sentCall = undefined;
  }

  const signals = (): HostSignals => (isRewound ? { rewound: true } : {});

  return {
    turn: (on) => void (isOn = on),
    tools: () => (isOn ? ownTools(open, readTool) : []),
    instruction: async (text) =>
      (await guarded(async (session) => {
        await session.recordSystemPrompt("host", text);
        await session.recordSystemPrompt("own", standingInstruction);
        return `${text}\n\n${standingInstruction}`;
      })) ?? text,
    assemble: async (sent, own = sent) =>
      await guarded(async (session) => {
        await reportRefusal(session, own);
        // Another extension passes a changed copy of a message under the same id.
        const known = new Set(own.map(({ id }) => id));
        const added = new Set(sent.filter(({ id }) => !known.has(id)));
        const list = markedList(codec, { host: own, sent, added });
        const view = await session.ingestAndView(list.messages, list.codec, {
          ...viewOptions,
          ...signals(),
        });
        isRewound = false;
        sentCall = view.call;
        return view.messages.map(scriptedMessage);
      }),
    afterTool: async (call, output) => {
      await guarded(async (session) => await recordOutput(session, call, output, readTool));
    },
    beforeTool: async ({ name, arguments: input }) =>
      await guarded(async (session) => await session.checkArguments(name, input)),
    wentBack: () => void (isRewound = true),
    summary: async (messages) =>
      await guarded(async (session) => {
        // The harness removes these messages from its list and does not send them again. Those that an earlier
        // failure skipped are ingested now.
        await session.ingest(messages, codec, signals());
        isRewound = false;
        const { turnCount, objects } = await session.status();
        return `${summaryMark} ${turnCount} turns and ${objects.length} objects are kept.`;
      }),
  };
}

/** Returns the context tools in the harness's form, without `read` if the harness has a tool of this name. */
function ownTools(open: () => Promise<ContextSession>, readTool: string): readonly ScriptedTool[] {
  return contextTools
    .filter(({ name }) => name !== readTool)
    .map((tool) => ({
      name: tool.name,
      run: async (input, callId) => {
        const answer = await tool.run(await open(), input, callId);
        return { text: hostText(answer), failed: !answer.ok, extra: answerDetails(answer) };
      },
    }));
}

/** Records in the session the effect of one of the harness's tools. */
async function recordOutput(
  session: ContextSession,
  { id: callId, name, arguments: input }: ModelToolCall,
  { failed }: OutputContent,
  readTool: string,
): Promise<void> {
  if (failed) return;
  if (name === "write") await session.recordWrite(pathIn(input), { callId, args: input });
  if (name === readTool) await session.recordRead(pathIn(input), { callId });
}
