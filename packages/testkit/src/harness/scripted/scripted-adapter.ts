import {
  answerDetails,
  type ContextSession,
  contextTools,
  type HarnessAdapter,
  type HostSession,
  type HostSignals,
  type MessageCodec,
  standingInstruction,
} from "@self-context-manager/core";
import type { JsonValue } from "@self-context-manager/objects";

import type { ModelToolCall } from "../model-request.ts";
import { scriptedCodec, scriptedMessage, summaryMark } from "./scripted-codec.ts";
import type { OutputContent, ScriptedMessage } from "./scripted-message.ts";
import type { ScriptedPlugin, ScriptedTool } from "./scripted-plugin.ts";
import { pathIn } from "./scripted-tools.ts";

/** What the scripted harness offers: everything that a law asks for. */
export const scriptedHarnessAdapter: HarnessAdapter = {
  specification: "harness-1",
  harness: "scripted",
  supports: {
    contextAssembly: true,
    toolRegistration: true,
    toolEvents: true,
    sessionIds: true,
    instructions: true,
    images: true,
    ownMessages: true,
    branches: true,
    compactionHook: true,
    notices: true,
  },
};

export interface ScriptedAdapterOptions {
  readonly sessionId: string;
  /** Opens a session on the store; rejects where that cannot be done now. */
  readonly openSession: (host: HostSession) => Promise<ContextSession>;
  /** Tells the user something. */
  readonly notify: (text: string) => void;
  /** Begins switched off. */
  readonly off?: boolean;
  /** Reads the messages in another way than by their ids. */
  readonly codec?: MessageCodec<ScriptedMessage>;
  /** The model's window in tokens; without it there is no limit. */
  readonly contextWindow?: number;
}

export interface ScriptedAdapter extends Required<ScriptedPlugin> {
  /** Switches on or off as the user says. */
  turn(on: boolean): void;
}

/**
 * The adapter of the scripted harness, on core only: an example of how the hooks of a host become calls of a session.
 */
export function scriptedAdapter(options: ScriptedAdapterOptions): ScriptedAdapter {
  const { harness } = scriptedHarnessAdapter;
  const codec = options.codec ?? scriptedCodec;
  const { contextWindow } = options;
  const viewOptions = contextWindow === undefined ? {} : { contextWindow };
  let isOn = options.off !== true;
  let isTold = false;
  let isRewound = false;
  let opened: ContextSession | undefined;

  async function open(): Promise<ContextSession> {
    opened ??= await options.openSession({ harness, sessionId: options.sessionId });
    return opened;
  }

  /** Runs what is ours; where that fails, the host goes on with what it has, and the user is told once. */
  async function guarded<Result>(
    work: (session: ContextSession) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (!isOn) return undefined;
    try {
      return await work(await open());
    } catch (error) {
      // Availability first: nothing of ours ends a run.
      if (!isTold) options.notify(`The messages go to the model as they are. ${String(error)}`);
      isTold = true;
      return undefined;
    }
  }

  const signals = (): HostSignals => (isRewound ? { rewound: true } : {});

  return {
    turn: (on) => void (isOn = on),
    tools: () => (isOn ? ownTools(open) : []),
    instruction: async (text) =>
      (await guarded(async (session) => {
        await session.recordSystemPrompt("host", text);
        await session.recordSystemPrompt("own", standingInstruction);
        return `${text}\n\n${standingInstruction}`;
      })) ?? text,
    assemble: async (messages) =>
      await guarded(async (session) => {
        const view = await session.ingestAndView(messages, codec, { ...viewOptions, ...signals() });
        isRewound = false;
        return view.messages.map(scriptedMessage);
      }),
    afterTool: async (call, output) =>
      await guarded(async (session) => await recordOutput(session, call, output)),
    wentBack: () => void (isRewound = true),
    summary: async (messages) =>
      await guarded(async (session) => {
        // What leaves the list and was missed so far is not told again.
        await session.ingest(messages, codec, signals());
        isRewound = false;
        const { turnCount, objects } = await session.status();
        return `${summaryMark} ${turnCount} turns and ${objects.length} objects are kept.`;
      }),
  };
}

/** The context tools beside the harness's own `read`, in its form. */
function ownTools(open: () => Promise<ContextSession>): readonly ScriptedTool[] {
  return contextTools
    .filter(({ name }) => name !== "read")
    .map((tool) => ({
      name: tool.name,
      run: async (input, callId) => {
        const answer = await tool.run(await open(), input, callId);
        return { text: answer.text, failed: !answer.ok, extra: answerDetails(answer) };
      },
    }));
}

/** Does on the session what one of the harness's tools did; a read's output carries the report. */
async function recordOutput(
  session: ContextSession,
  { id: callId, name, arguments: input }: ModelToolCall,
  { failed }: OutputContent,
): Promise<JsonValue | undefined> {
  if (failed) return undefined;
  if (name === "write") await session.recordWrite(pathIn(input), { callId });
  if (name !== "read") return undefined;
  const answer = await session.read({ path: pathIn(input) }, { callId });
  return answer.ok ? answerDetails(answer) : undefined;
}
