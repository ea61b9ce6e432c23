import { defined, type JsonObject } from "@self-context-manager/objects";

import type { OtherExtension } from "../harness-host.ts";
import type { ModelRequest, ModelToolCall, ScriptedModel } from "../model-request.ts";
import type { MemoryFolder } from "./memory-folder.ts";
import {
  modelMessage,
  type OutputContent,
  type ScriptedContent,
  type ScriptedMessage,
} from "./scripted-message.ts";
import { scriptedPayload } from "./scripted-payload.ts";
import type { ScriptedOutput, ScriptedPlugin, ScriptedTool } from "./scripted-plugin.ts";
import { scriptedTools } from "./scripted-tools.ts";

/** A session as the harness saves it. */
export interface SavedSession {
  readonly sessionId: string;
  readonly messages: readonly ScriptedMessage[];
  /** The number of messages that were ever made. The next message's id continues from it. */
  readonly count: number;
  readonly compactions: number;
}

export interface ScriptedHarnessOptions {
  readonly model: ScriptedModel;
  readonly folder: MemoryFolder;
  readonly plugin?: ScriptedPlugin;
  /** The harness's own tools. Default: `scriptedTools`. */
  readonly tools?: readonly ScriptedTool[];
  /** Another extension, which changes results and requests before the plugin gets them. */
  readonly other?: OtherExtension;
  /** A session to continue. */
  readonly saved?: SavedSession;
  /** Shortens the list of messages after every run. */
  readonly compactsEagerly?: boolean;
}

/**
 * A small but real agent: a loop of model calls and tools over a list of messages. It runs in memory and is
 * deterministic.
 */
export interface ScriptedHarness {
  /** The list of messages, which is also the session's record. */
  readonly messages: readonly ScriptedMessage[];
  readonly requests: readonly ModelRequest[];
  /** The requests as the provider got them. */
  readonly payloads: readonly JsonObject[];
  prompt(text: string, pictures?: readonly string[]): Promise<void>;
  /** Adds a message of a kind that only this harness knows. */
  note(text: string): void;
  /**
   * Goes back to the point before a user prompt, given by its index in the list. By default it reports this to the
   * plugin.
   */
  goBack(prompt: number, options?: GoBackOptions): void;
  /** Continues from another list, as when the user returns to an abandoned branch. Reports this to the plugin. */
  goTo(messages: readonly ScriptedMessage[]): void;
  /** Drops the oldest messages without a report, as a sliding window does. */
  truncate(count: number): void;
  /**
   * Replaces all messages before the newest prompt by a summary: `ownSummary`, else the plugin's summary, else a line
   * with the number of messages.
   */
  compact(ownSummary?: string): Promise<void>;
  /** Changes the reported tokens of all answers, as a provider does that counts again. */
  changeUsage(): void;
  save(): SavedSession;
}

interface GoBackOptions {
  readonly isReported?: boolean;
}

const ownInstruction = "You are a scripted agent.";

/** The limit of model calls in a run. No script has so many, so a faulty script ends. */
const mostCalls = 100;

export function scriptedHarness(options: ScriptedHarnessOptions): ScriptedHarness {
  const { model, folder, plugin = {}, other = {}, saved } = options;
  const tools = options.tools ?? scriptedTools(folder);
  const requests: ModelRequest[] = [];
  const payloads: JsonObject[] = [];
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
    const sent = changedByOther();
    const shown = (await plugin.assemble?.(sent, messages)) ?? sent;
    const request = {
      instruction,
      tools: allTools().map(({ name }) => name),
      messages: shown.filter((one) => one.kind !== "model" || !one.failed).map(modelMessage),
    };
    requests.push(request);
    const payload = scriptedPayload(request);
    payloads.push(plugin.sends?.(payload) ?? payload);
    const { text, calls, fails = false, refuses: error, tokens, thinking } = model(request);
    if (tokens !== undefined) plugin.answered?.(tokens);
    const failed = fails || error !== undefined;
    const reported = defined({ tokens });
    const thought = defined({ thinking });
    const refusal = defined({ error });
    add({ kind: "model", text, calls, failed, ...reported, ...thought, ...refusal });
    return failed ? [] : calls;
  }

  /** Returns the list of the next request, as the other extension has changed it. */
  function changedByOther(): readonly ScriptedMessage[] {
    const left = messages.filter(({ text }) => other.leavesOut?.(text) !== true);
    const more = other.appends?.();
    const newest = left.findLast(({ kind }) => kind === "human");
    const kept =
      more === undefined
        ? left
        : left.map((one) => (one === newest ? { ...one, text: `${one.text}${more}` } : one));
    const text = other.adds?.();
    if (text === undefined)
      return kept.length === messages.length && more === undefined ? messages : kept;
    const id = `other-${requests.length}`;
    return [...kept, { id, at: count * 1000 + 500, kind: "human", text, pictures: [] }];
  }

  function allTools(): readonly ScriptedTool[] {
    return [...tools, ...(plugin.tools?.() ?? [])];
  }

  async function runTool(call: ModelToolCall): Promise<OutputContent> {
    const isOwnTool = tools.some(({ name }) => name === call.name);
    const refused = isOwnTool ? await plugin.beforeTool?.(call) : undefined;
    const {
      text: given,
      pictures = [],
      failed = false,
      extra,
    } = refused === undefined ? await outcome(call) : { text: refused, failed: true };
    const text = isOwnTool ? (other.resultText?.(given) ?? given) : given;
    const output = {
      kind: "output",
      callId: call.id,
      tool: call.name,
      text,
      pictures,
      failed,
    } as const;
    if (isOwnTool) await plugin.afterTool?.(call, output);
    return extra === undefined ? output : { ...output, extra };
  }

  async function outcome(call: ModelToolCall): Promise<ScriptedOutput> {
    const tool = allTools().find(({ name }) => name === call.name);
    if (tool === undefined) return { text: `there is no tool ${call.name}`, failed: true };
    try {
      return await tool.run(call.arguments, call.id);
    } catch (error) {
      // A failed tool does not end the run: the model gets the error as the result.
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
    payloads,
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
    goBack(prompt, { isReported = true } = {}) {
      const target = messages.filter(({ kind }) => kind === "human")[prompt];
      if (target === undefined) throw new RangeError(`there is no prompt ${prompt}`);
      messages = messages.slice(0, messages.indexOf(target));
      if (isReported) plugin.wentBack?.();
    },
    goTo(target) {
      messages = [...target];
      plugin.wentBack?.();
    },
    truncate: (dropped) => void (messages = messages.slice(dropped)),
    compact,
    changeUsage() {
      messages = messages.map((one) =>
        one.kind === "model" ? { ...one, tokens: (one.tokens ?? 0) + 1 } : one,
      );
    },
    save: () => ({
      sessionId: saved?.sessionId ?? "scripted-1",
      messages: structuredClone(messages),
      count,
      compactions,
    }),
  };
}
