import type {
  SmallAnswer,
  SmallCall,
  SmallHooks,
  SmallMessage,
  SmallResult,
  SmallTool,
} from "./small-messages.ts";

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
