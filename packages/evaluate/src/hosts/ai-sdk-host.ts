import type { AiSdkContext } from "@self-context-manager/adapter-ai-sdk";
import {
  configFromEnvironment,
  type ContextManager,
  openContextManager,
} from "@self-context-manager/compose";
import { defined } from "@self-context-manager/objects";
import type * as AiSdk from "ai";
import type { LanguageModel, ModelMessage, ToolSet } from "ai";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Arm } from "../model/arm.ts";
import type { EvaluationHost, HostAnswer, HostOptions, HostSession } from "../model/host.ts";
import { type AgentTool, agentTools } from "./agent-tools.ts";
import { hostError } from "./host-error.ts";
import { endLeftover } from "./leftover-processes.ts";
import { refusalOf } from "./refused-tools.ts";
import { aiSdkVersion, loadAiSdk, loadAiSdkAdapter, sdkModel } from "./sdk-packages.ts";

export interface AiSdkHostOptions {
  /** The most model calls of one turn. Default: 200. */
  readonly steps?: number;
}

/** The version of the system prompt and the tools below. It rises with each change, because results depend on them. */
const agentVersion = 1;

/** Opens an agent on the AI SDK of this process, with the tools of a coding agent. */
export async function openAiSdkHost({
  steps = 200,
}: AiSdkHostOptions = {}): Promise<EvaluationHost> {
  const sdk = await loadAiSdk();
  return {
    name: "ai-sdk",
    version: `${aiSdkVersion()} with agent ${agentVersion}`,
    open: async (options) => {
      checkArm(options.arm);
      return await openAgent(sdk, options, steps);
    },
  };
}

function instructions(folder: string): string {
  return [
    "You are a coding agent. You work in the folder given below with the tools read, write, edit and bash.",
    "Read files before you change them. Do what the user asks, and then answer in a few sentences.",
    `Working folder: ${folder}`,
  ].join("\n");
}

/** What an arm asks of a host that this one does not have. */
function checkArm({ name, compactsAt, extension, environment }: Arm): void {
  const lacking = [
    ...(compactsAt === undefined ? [] : ["a compaction"]),
    ...(extension === undefined ? [] : ["extensions"]),
    ...["SCM_BREAKPOINTS", "SCM_SUMMARY_MODEL"].filter((variable) => variable in environment),
  ];
  if (lacking.length > 0)
    throw hostError(
      `the arm ${name} needs ${lacking.join(" and ")}, which the AI SDK as a host does not have; use pi`,
    );
}

/** The state of one chat. Another begins with a new session. */
interface Chat {
  readonly number: number;
  readonly context: AiSdkContext<ToolSet> | undefined;
  readonly messages: ModelMessage[];
}

async function openAgent(
  sdk: typeof AiSdk,
  { arm, access, workspace, home, store }: HostOptions,
  steps: number,
): Promise<HostSession> {
  const folder = await realpath(workspace);
  const [user, temporary] = [join(home, "user"), join(home, "tmp")];
  await Promise.all([user, temporary].map((path) => mkdir(path, { recursive: true })));
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: user,
    TMPDIR: temporary,
    LANG: process.env["LANG"] ?? "C.UTF-8",
    NO_COLOR: "1",
  };
  const model = await sdkModel(access);
  const ownTools = sdkTools(sdk, agentTools({ folder, environment }));
  const notices: string[] = [];
  const managed = arm.isManaged
    ? await openManaged({ arm, access, folder, store, model })
    : undefined;
  const openChat = (number: number): Chat => ({
    number,
    context: managed?.context(number, ownTools, (text) => void notices.push(text)),
    messages: [],
  });
  let chat = openChat(1);

  return {
    prompt: async (text, { signal }) => {
      if (signal.aborted) return { text: "", error: "the turn was aborted before it began" };
      const { context, messages } = chat;
      const tools = context === undefined ? ownTools : refusing(context.tools, arm.withoutTools);
      messages.push({ role: "user", content: text });
      const turn = await runTurn(sdk, {
        model,
        instructions: instructions(folder),
        messages: [...messages],
        tools,
        context,
        maxTokens: access.maxTokens,
        steps,
        signal,
      });
      messages.push(...turn.messages);
      const file = join(home, `chat-${chat.number}.json`);
      await writeFile(file, JSON.stringify(messages, undefined, 2));
      const said = notices.splice(0);
      return { ...turn.answer, ...(said.length === 0 ? {} : { notices: said }) };
    },
    newSession: async () => {
      await chat.context?.[Symbol.asyncDispose]();
      chat = openChat(chat.number + 1);
    },
    [Symbol.asyncDispose]: async () => {
      await chat.context?.[Symbol.asyncDispose]();
      await managed?.manager[Symbol.asyncDispose]();
      endLeftover(user);
    },
  };
}

interface Managed {
  readonly manager: ContextManager;
  readonly context: (
    number: number,
    tools: ToolSet,
    notify: (text: string) => void,
  ) => AiSdkContext<ToolSet>;
}

/** Opens the context manager with the settings of the arm, as an app would. */
async function openManaged({
  arm,
  access,
  folder,
  store,
  model,
}: Pick<HostOptions, "arm" | "access" | "store"> & {
  readonly folder: string;
  readonly model: LanguageModel;
}): Promise<Managed> {
  const { aiSdkAdapter, aiSdkContext } = await loadAiSdkAdapter();
  const {
    summaries,
    summaryModel: _none,
    ...config
  } = configFromEnvironment({
    ...arm.environment,
    SCM_STORE: store,
  });
  const manager = await openContextManager({ ...config, workspace: folder });
  return {
    manager,
    context: (number, tools, notify) =>
      aiSdkContext({
        openSession: async () =>
          await manager.openSession({
            harness: aiSdkAdapter.harness,
            sessionId: `chat-${number}`,
          }),
        tools,
        model: { contextWindow: access.contextWindow, ...defined({ cost: access.prices }) },
        ...(summaries === "off" ? {} : { summaries: { model, results: summaries === "results" } }),
        notify,
      }),
  };
}

interface Turn {
  readonly model: LanguageModel;
  readonly instructions: string;
  readonly messages: ModelMessage[];
  readonly tools: ToolSet;
  readonly context: AiSdkContext<ToolSet> | undefined;
  readonly maxTokens: number;
  readonly steps: number;
  readonly signal: AbortSignal;
}

/** Runs the model until it answers without a call. After a failure the finished steps stay in the chat. */
async function runTurn(
  sdk: typeof AiSdk,
  { context, steps, maxTokens, signal, ...settings }: Turn,
): Promise<{ readonly answer: HostAnswer; readonly messages: readonly ModelMessage[] }> {
  let finished: readonly ModelMessage[] = [];
  const failed = Promise.withResolvers<never>();
  const abort = (): void => failed.reject(new Error("the turn was aborted"));
  signal.addEventListener("abort", abort, { once: true });
  const result = sdk.streamText({
    ...settings,
    maxOutputTokens: maxTokens,
    abortSignal: signal,
    stopWhen: sdk.isStepCount(steps),
    prepareStep: async (step) => {
      finished = [...step.responseMessages];
      return await context?.prepareStep(step);
    },
    onError: ({ error }) => failed.reject(error),
  });
  try {
    await Promise.race([result.consumeStream(), failed.promise]);
    const messages = await Promise.race([result.responseMessages, failed.promise]);
    await context?.finish(result);
    const reason = await result.finishReason;
    const text = lastText(messages);
    const isCut = reason === "tool-calls";
    return {
      messages,
      answer: isCut ? { text, error: `the turn was ended after ${steps} model calls` } : { text },
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { messages: finished, answer: { text: lastText(finished), error: message } };
  } finally {
    signal.removeEventListener("abort", abort);
    // Nobody else awaits it.
    failed.promise.catch(() => undefined);
  }
}

/** The adapter sends the plain messages unless a request offers all context tools, so calls are refused instead. */
function refusing(tools: ToolSet, names: readonly string[] = []): ToolSet {
  const all: ToolSet = { ...tools };
  for (const name of names) {
    const one = tools[name];
    if (one !== undefined)
      all[name] = Object.assign({}, one, {
        execute: async () => await Promise.reject(new Error(refusalOf(name))),
      });
  }
  return all;
}

function lastText(messages: readonly ModelMessage[]): string {
  const texts = messages.map((message) => {
    if (message.role !== "assistant") return "";
    const { content } = message;
    if (typeof content === "string") return content;
    return content.map((part) => (part.type === "text" ? part.text : "")).join("");
  });
  return texts.findLast((text) => text !== "") ?? "";
}

function sdkTools(
  { jsonSchema, tool }: typeof AiSdk,
  tools: Readonly<Record<string, AgentTool>>,
): ToolSet {
  return Object.fromEntries(
    Object.entries(tools).map(([name, { description, parameters, run }]) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<Readonly<Record<string, unknown>>>({
          ...parameters,
          properties: { ...parameters.properties },
          required: [...parameters.required],
        }),
        execute: async (args, { abortSignal }) => await run(args, abortSignal),
      }),
    ]),
  );
}
