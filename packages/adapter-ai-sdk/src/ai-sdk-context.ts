import type { ContextSession, ModelFacts } from "@self-context-manager/core";
import { connect } from "@self-context-manager/core/host";
import {
  gateway,
  type LanguageModel,
  type LanguageModelMiddleware,
  type ModelMessage,
  type PrepareStepFunction,
  type ToolSet,
  wrapLanguageModel,
} from "ai";

import type { RequestFacts } from "./managed-prompt.ts";
import { contextMiddleware } from "./middleware.ts";
import { sdkCodec, sdkMessage, type SdkMessage, sdkMessages } from "./sdk-messages.ts";
import { contextSdkTool, wrappedTools } from "./wrapped-tools.ts";

export interface AiSdkContextOptions<Tools extends ToolSet> {
  /**
   * Opens the session of the chat. It is called for the first model call or tool, and again after the session was closed
   * or its store was lost.
   */
  readonly openSession: () => Promise<ContextSession>;
  /** The app's own tools. */
  readonly tools: Tools;
  /** Facts about the model that its name does not show: its context window in tokens, and its prices. */
  readonly model?: Partial<ModelFacts>;
  /** Shows the user a text outside the chat. It is called once for each failure until it is over. */
  readonly notify?: (text: string) => void;
}

/**
 * The context tools by their usual names. If a tool of the app has one of these names, all have the prefix `context_`. If the
 * app has no tool that reads files, there is a `read` too.
 */
export type ContextToolSet = Readonly<
  Record<"activate" | "deactivate" | "pin" | "unpin", ReturnType<typeof contextSdkTool>>
>;

/** The argument of `prepareStep`, without the parts that depend on the app's own types. */
export type SdkStep = Omit<
  Parameters<PrepareStepFunction<ToolSet>>[0],
  "toolsContext" | "runtimeContext" | "experimental_sandbox"
>;

/** What one request has beside the chat, and what of the chat it does not have. */
export interface RequestChange extends Pick<RequestFacts, "leavesOut"> {
  /** Messages at the end of this request. Default: none. */
  readonly add?: readonly ModelMessage[];
}

/** The parts that connect one chat with its session. Disposing of it closes the session, if it can be closed. */
export interface AiSdkContext<Tools extends ToolSet> extends AsyncDisposable {
  /** For `tools`: the app's tools, whose calls are checked and recorded, and the context tools. */
  readonly tools: Tools & ContextToolSet;
  /**
   * For `prepareStep`. An app that has one calls this there, and adds its settings to the result: a model in `step`, and the
   * messages of this request in `change`. Never rejects.
   */
  readonly prepareStep: (
    step: SdkStep,
    change?: RequestChange,
  ) => Promise<{ readonly messages: ModelMessage[]; readonly model: LanguageModel }>;
  /** For `wrapLanguageModel`, where other code calls the model. It is not used together with `prepareStep`. */
  readonly middleware: LanguageModelMiddleware;
  /** Records the last answer of a run. Without it the next run does so. Never rejects. */
  readonly finish: (result: {
    readonly responseMessages: readonly ModelMessage[] | PromiseLike<readonly ModelMessage[]>;
  }) => Promise<void>;
}

/** Connects a chat of the AI SDK with a session. Each chat gets its own. */
export function aiSdkContext<Tools extends ToolSet>({
  openSession: open,
  tools: own,
  model: facts,
  notify = () => undefined,
}: AiSdkContextOptions<Tools>): AiSdkContext<Tools> {
  const hostTools = Object.keys(own);
  const connection = connect({ open, codec: sdkCodec, encode: sdkMessage, hostTools, notify });
  const added = Object.fromEntries(connection.tools.map((one) => [one.name, contextSdkTool(one)]));
  // The compiler does not know the names of the entries.
  const tools = { ...wrappedTools(own, connection), ...added } as Tools & ContextToolSet;
  /** The messages of the last request, and the number of the run's own messages among them. */
  let chat: readonly SdkMessage[] = [];
  let made = 0;

  return {
    tools,
    async prepareStep(step, { add = [], ...change } = {}) {
      // The SDK finds a model by its name in the same place.
      const provider = globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway;
      const model =
        typeof step.model === "string" ? provider.languageModel(step.model) : step.model;
      made = step.responseMessages.length;
      await connection.endTools();
      const middleware = contextMiddleware(connection, {
        ...change,
        model: facts,
        usage: step.steps.at(-1)?.usage,
        added: add.length,
        seen: (messages) => void (chat = messages),
      });
      return {
        messages: [...messagesOf(step), ...add],
        model: wrapLanguageModel({ model, middleware }),
      };
    },
    middleware: contextMiddleware(connection, { model: facts }),
    async finish({ responseMessages }) {
      await connection.endTools();
      try {
        const answer = (await responseMessages).slice(made);
        // Parts of other types have another form in the next prompt, which records them.
        const isSaid = answer.every(
          ({ content }) =>
            typeof content !== "string" &&
            content.every(({ type }) => type === "text" || type === "reasoning"),
        );
        if (isSaid && chat.length > 0) await connection.ingest([...chat, ...sdkMessages(answer)]);
      } catch {
        // The run has failed, which the app knows.
      }
    },
    [Symbol.asyncDispose]: async () => await connection[Symbol.asyncDispose](),
  };
}

/**
 * Returns the app's own messages at a step. The SDK passes them apart from those that an earlier step was sent with. A
 * message that steers the run is before the answer to it.
 */
function messagesOf({
  experimental_steeringMessages: newest = [],
  ...step
}: SdkStep): ModelMessage[] {
  const run = step.steps.flatMap(({ response, experimental_steeringMessages: steering = [] }) => [
    ...steering,
    ...response.messages,
  ]);
  // In front of the run are the results of calls that the user has approved.
  const approved = step.responseMessages.filter((one) => !run.includes(one));
  return [...step.initialMessages, ...approved, ...run, ...newest];
}
