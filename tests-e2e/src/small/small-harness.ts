import type { JsonObject, JsonValue } from "@self-context-manager/core";

/** A message as this harness records it. Messages have neither ids nor times. */
export type SmallMessage =
  | { readonly role: "user"; readonly text: string }
  | SmallAnswer
  | {
      readonly role: "tool";
      readonly callId: string;
      readonly tool: string;
      readonly text: string;
      readonly failed: boolean;
      /** Data of the tool. The model does not get it. */
      readonly extra?: JsonValue;
    };

/** The model's answer. */
export interface SmallAnswer {
  readonly role: "model";
  readonly text: string;
  readonly calls: readonly SmallCall[];
  readonly reasoning?: { readonly text: string; readonly signature: string };
  /** The provider's error. The harness keeps a failed answer for the user and does not send it again. */
  readonly error?: string;
}

export interface SmallCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

export interface SmallTool {
  readonly name: string;
  run(args: JsonObject, callId: string): Promise<SmallResult>;
}

export interface SmallResult {
  readonly text: string;
  readonly failed?: boolean;
  readonly extra?: JsonValue;
}

/** The hooks of the harness. It waits for each of them. */
export interface SmallHooks {
  /** Tools in addition to the harness's own. */
  readonly tools?: readonly SmallTool[];
  /** Returns the system prompt of the next request. */
  prompt?(text: string): Promise<string>;
  /** Returns the messages of the next request; undefined: the harness's own. */
  request?(messages: readonly SmallMessage[]): Promise<readonly SmallMessage[] | undefined>;
  /** Returns the reason why a tool of the harness must not run; undefined: it runs. */
  beforeTool?(call: SmallCall): Promise<string | undefined>;
  /** Gets the result of a tool of the harness. */
  afterTool?(call: SmallCall, result: SmallResult): Promise<void>;
  /** Gets the error of a request that the provider refused. */
  refused?(error: string): Promise<void>;
  /** The user went back to an earlier point. */
  wentBack?(): void;
  /** A run has ended. */
  ended?(messages: readonly SmallMessage[]): Promise<void>;
}

export interface SmallRequest {
  readonly prompt: string;
  readonly tools: readonly string[];
  readonly messages: readonly SmallMessage[];
}

export interface SmallHarnessOptions {
  readonly model: (request: SmallRequest) => Promise<SmallAnswer>;
  readonly tools: readonly SmallTool[];
  /** Returns the hooks. The harness asks for them each time, because the user can switch an adapter off. */
  readonly hooks: () => SmallHooks;
  /** The messages of a session to continue. */
  readonly messages?: readonly SmallMessage[];
}

export interface SmallHarness {
  readonly messages: readonly SmallMessage[];
  /** Sends a message of the user and runs until the model calls no tool. */
  say(text: string): Promise<void>;
  /** Goes back to the point before a message of the user. `index` counts these messages from 0. */
  goBack(index: number): void;
}

const ownPrompt = "You are a small agent.";

/** A harness of one's own: a loop of model calls and tools over a list of messages. */
export function smallHarness(options: SmallHarnessOptions): SmallHarness {
  const { model, tools, hooks } = options;
  let messages: readonly SmallMessage[] = options.messages ?? [];

  function allTools(): readonly SmallTool[] {
    return [...tools, ...(hooks().tools ?? [])];
  }

  async function ask(): Promise<SmallAnswer> {
    const prompt = (await hooks().prompt?.(ownPrompt)) ?? ownPrompt;
    const sent = (await hooks().request?.(messages)) ?? messages;
    const answer = await model({
      prompt,
      tools: allTools().map(({ name }) => name),
      messages: sent.filter((one) => one.role !== "model" || one.error === undefined),
    });
    messages = [...messages, answer];
    if (answer.error !== undefined) await hooks().refused?.(answer.error);
    return answer;
  }

  async function runTool(call: SmallCall): Promise<SmallMessage> {
    const isOwn = tools.some(({ name }) => name === call.name);
    const reason = isOwn ? await hooks().beforeTool?.(call) : undefined;
    const result = reason === undefined ? await outcome(call) : { text: reason, failed: true };
    if (isOwn) await hooks().afterTool?.(call, result);
    const { text, failed = false, extra } = result;
    const message = { role: "tool", callId: call.id, tool: call.name, text, failed } as const;
    return extra === undefined ? message : { ...message, extra };
  }

  async function outcome({ id, name, args }: SmallCall): Promise<SmallResult> {
    const tool = allTools().find((one) => one.name === name);
    if (tool === undefined) return { text: `there is no tool ${name}`, failed: true };
    // A tool that fails does not end the run. The model gets the error as the result.
    return await tool.run(args, id).catch((error: unknown) => {
      return { text: String(error), failed: true };
    });
  }

  return {
    get messages() {
      return messages;
    },
    async say(text) {
      messages = [...messages, { role: "user", text }];
      for (;;) {
        const { calls, error } = await ask();
        if (calls.length === 0 || error !== undefined) break;
        messages = [...messages, ...(await Promise.all(calls.map(runTool)))];
      }
      await hooks().ended?.(messages);
    },
    goBack(index) {
      const prompts = messages.flatMap(({ role }, at) => (role === "user" ? [at] : []));
      messages = messages.slice(0, prompts[index]);
      hooks().wentBack?.();
    },
  };
}
