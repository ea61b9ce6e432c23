import type { ContextSession, ModelFacts } from "@self-context-manager/core";
import { connect } from "@self-context-manager/core/host";
import {
  gateway,
  type LanguageModel,
  type LanguageModelMiddleware,
  type LanguageModelUsage,
  type ModelMessage,
  type PrepareStepFunction,
  type ToolSet,
  wrapLanguageModel,
} from "ai";

import type { ChatState, RequestFacts } from "./managed-prompt.ts";
import { clock } from "./clock.ts";
import { contextMiddleware } from "./middleware.ts";
import { sdkSummarizer } from "./sdk-summarizer.ts";
import { sdkCodec, sdkMessage, sdkMessages } from "./sdk-messages.ts";
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
  /**
   * Has a model write a summary of each finished turn, between the calls. `results`: also a line for each long result.
   * Default: no model is asked.
   */
  readonly summaries?: { readonly model: LanguageModel; readonly results?: boolean };
  /** Shows the user a text outside the chat. It is called once for each failure until it is over. */
  readonly notify?: (text: string) => void;
}

/**
 * The context tools by their usual names. They are absent if a tool of the app has one of these names: then all have the
 * prefix `context_`. If the app has no tool that reads files, there is a `read` too.
 */
export type ContextToolSet = Readonly<
  Partial<
    Record<
      "activate" | "deactivate" | "pin" | "unpin" | "find_objects",
      ReturnType<typeof contextSdkTool>
    >
  >
>;

/** The argument of `prepareStep`, without the parts that depend on the app's own types. */
export type SdkStep = Omit<
  Parameters<PrepareStepFunction<ToolSet>>[0],
  "toolsContext" | "runtimeContext" | "experimental_sandbox"
>;

/** The last step of a run, with the tokens that the provider has reported. */
type FinalStep = { readonly usage: LanguageModelUsage };

/** A change of one request. The chat stays as it is. */
export interface RequestChange extends Pick<RequestFacts, "leavesOut"> {
  /** Messages that only this request has, at its end. Default: none. */
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
    readonly finalStep?: FinalStep | PromiseLike<FinalStep>;
  }) => Promise<void>;
}

/** Connects a chat of the AI SDK with a session. Each chat gets its own. */
export function aiSdkContext<Tools extends ToolSet>({
  openSession: open,
  tools: own,
  model: facts,
  notify = () => undefined,
  summaries: given,
}: AiSdkContextOptions<Tools>): AiSdkContext<Tools> {
  const state: ChatState = { chat: [], hasViews: false };
  const hostTools = Object.keys(own);
  const host = { codec: sdkCodec, encode: sdkMessage, hostTools, clock, findsWentBack: true };
  const summaries =
    given === undefined
      ? {}
      : { summaries: { summarizer: sdkSummarizer(given.model), results: given.results === true } };
  const connection = connect({ ...host, ...summaries, open, notify });
  const added = Object.fromEntries(connection.tools.map((one) => [one.name, contextSdkTool(one)]));
  /** The number of the run's own messages in the last request. */
  let made = 0;

  return {
    tools: { ...wrappedTools(own, connection), ...added },
    async prepareStep(step, { add = [], ...change } = {}) {
      // The SDK finds a model by its name in the same place.
      const provider = globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway;
      const model =
        typeof step.model === "string" ? provider.languageModel(step.model) : step.model;
      made = step.responseMessages.length;
      state.hasViews = true;
      await connection.endTools();
      const usage = step.steps.at(-1)?.usage;
      const request = { ...change, model: facts, usage, added: add.length };
      const middleware = contextMiddleware(connection, state, request);
      const messages = [...messagesOf(step), ...add];
      return { messages, model: wrapLanguageModel({ model, middleware }) };
    },
    middleware: contextMiddleware(connection, state, { model: facts }),
    async finish({ responseMessages, finalStep }) {
      await connection.endTools();
      try {
        const answer = (await responseMessages).slice(made);
        // Parts of other types have another form in the next prompt, which records them.
        const isSaid = answer.every(
          ({ content }) =>
            typeof content !== "string" &&
            content.every(({ type }) => type === "text" || type === "reasoning"),
        );
        const usage = (await finalStep)?.usage;
        const said = sdkMessages(answer.map((one) => ({ ...one, usage })));
        if (isSaid && state.chat.length > 0) await connection.ingest([...state.chat, ...said]);
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
