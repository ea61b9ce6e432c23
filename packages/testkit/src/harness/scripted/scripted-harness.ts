import type { ModelRequest, ModelToolCall, ScriptedModel } from "../model-request.ts";
import type { MemoryFolder } from "./memory-folder.ts";
import {
  modelMessage,
  type OutputContent,
  type ScriptedContent,
  type ScriptedMessage,
} from "./scripted-message.ts";
import type { ScriptedOutput, ScriptedPlugin, ScriptedTool } from "./scripted-plugin.ts";
import { scriptedTools } from "./scripted-tools.ts";

/** A session as the harness saves it. */
export interface SavedSession {
  readonly sessionId: string;
  readonly messages: readonly ScriptedMessage[];
  /** How many messages there ever were. */
  readonly count: number;
  readonly compactions: number;
}

export interface ScriptedHarnessOptions {
  readonly model: ScriptedModel;
  readonly folder: MemoryFolder;
  readonly plugin?: ScriptedPlugin;
  /** A session to go on with. */
  readonly saved?: SavedSession;
  /** Shortens the list of messages after every run. */
  readonly compactsEagerly?: boolean;
}

/** A small but real agent: a loop of model calls and tools over a list of messages, in memory and deterministic. */
export interface ScriptedHarness {
  /** Its list of messages, which is its record as well. */
  readonly messages: readonly ScriptedMessage[];
  readonly requests: readonly ModelRequest[];
  prompt(text: string, pictures?: readonly string[]): Promise<void>;
  /** Adds a message of a kind that only this harness knows. */
  note(text: string): void;
  /** Goes back to before the user's prompt of this index among those in the list; tells the plugin unless told not to. */
  goBack(prompt: number, options?: GoBackOptions): void;
  /** Goes on from another list, as where the user returns to a branch that was left; tells the plugin. */
  goTo(messages: readonly ScriptedMessage[]): void;
  /** Drops the oldest messages and tells nobody, as a sliding window does. */
  truncate(count: number): void;
  /**
   * Puts a summary in the place of all messages before the newest prompt: one of the user's own, or the plugin's where
   * it has one.
   */
  compact(ownSummary?: string): Promise<void>;
  save(): SavedSession;
}

interface GoBackOptions {
  readonly isTold?: boolean;
}

const ownInstruction = "You are a scripted agent.";

/** More model calls than any script has, so that a script gone wrong ends. */
const mostCalls = 100;

export function scriptedHarness(options: ScriptedHarnessOptions): ScriptedHarness {
  const { model, folder, plugin = {}, saved } = options;
  const tools = scriptedTools(folder);
  const requests: ModelRequest[] = [];
  let messages: ScriptedMessage[] = [...(saved?.messages ?? [])];
  let count = saved?.count ?? 0;
  let compactions = saved?.compactions ?? 0;

  function add(content: ScriptedContent): void {
    messages.push(stamped(content));
  }

  function stamped(content: ScriptedContent): ScriptedMessage {
    count += 1;
    return { id: `m${count}`, at: count * 1000, ...content };
  }

  async function ask(): Promise<readonly ModelToolCall[]> {
    const instruction = (await plugin.instruction?.(ownInstruction)) ?? ownInstruction;
    const shown = (await plugin.assemble?.(messages)) ?? messages;
    const request = {
      instruction,
      tools: allTools().map(({ name }) => name),
      messages: shown.filter((one) => one.kind !== "model" || !one.failed).map(modelMessage),
    };
    requests.push(request);
    const { text, calls, fails: failed = false, tokens } = model(request);
    const reported = tokens === undefined ? {} : { tokens };
    add({ kind: "model", text, calls, failed, ...reported });
    return failed ? [] : calls;
  }

  function allTools(): readonly ScriptedTool[] {
    return [...tools, ...(plugin.tools?.() ?? [])];
  }

  async function runTool(call: ModelToolCall): Promise<OutputContent> {
    const { text, pictures = [], failed = false, extra } = await outcome(call);
    const output = {
      kind: "output",
      callId: call.id,
      tool: call.name,
      text,
      pictures,
      failed,
    } as const;
    const isPluginTool = tools.some(({ name }) => name === call.name);
    const kept = extra ?? (isPluginTool ? await plugin.afterTool?.(call, output) : undefined);
    return kept === undefined ? output : { ...output, extra: kept };
  }

  async function outcome(call: ModelToolCall): Promise<ScriptedOutput> {
    const tool = allTools().find(({ name }) => name === call.name);
    if (tool === undefined) return { text: `there is no tool ${call.name}`, failed: true };
    try {
      return await tool.run(call.arguments, call.id);
    } catch (error) {
      // A tool that fails is the model's to deal with.
      return { text: error instanceof Error ? error.message : String(error), failed: true };
    }
  }

  async function compact(ownSummary?: string): Promise<void> {
    const kept = messages.findLastIndex(({ kind }) => kind === "human");
    if (kept <= 0) return;
    const text = ownSummary ?? (await plugin.summary?.(messages)) ?? `${kept} messages were here`;
    messages = [stamped({ kind: "summary", text }), ...messages.slice(kept)];
    compactions += 1;
  }

  return {
    get messages() {
      return messages;
    },
    requests,
    async prompt(text, pictures = []) {
      add({ kind: "human", text, pictures });
      for (let asked = 0; asked < mostCalls; asked += 1) {
        const calls = await ask();
        if (calls.length === 0) {
          if (options.compactsEagerly === true) await compact();
          return;
        }
        for (const output of await Promise.all(calls.map(runTool))) add(output);
      }
      throw new Error(`the run did not end in ${mostCalls} requests`);
    },
    note: (text) => add({ kind: "note", text }),
    goBack(prompt, { isTold = true } = {}) {
      const target = messages.filter(({ kind }) => kind === "human")[prompt];
      if (target === undefined) throw new RangeError(`there is no prompt ${prompt}`);
      messages = messages.slice(0, messages.indexOf(target));
      if (isTold) plugin.wentBack?.();
    },
    goTo(target) {
      messages = [...target];
      plugin.wentBack?.();
    },
    truncate: (dropped) => void (messages = messages.slice(dropped)),
    compact,
    save: () => ({
      sessionId: saved?.sessionId ?? "scripted-1",
      messages: structuredClone(messages),
      count,
      compactions,
    }),
  };
}
