import { defined, sha256 } from "@self-context-manager/objects";
import type { ReportedUsage } from "../chat/message.ts";
import type { ModelFacts, PriceProfile } from "../cost/price-profile.ts";
import type { HostSignals } from "../history/ingest-messages.ts";
import type { ContextSession } from "../session/context-session.ts";
import type { View, ViewOptions } from "../session/view-options.ts";
import { type BoundAnswer, type BoundTool, boundTools } from "./bound-tools.ts";
import type { ConnectOptions } from "./connect-options.ts";
import { connectionParts } from "./connection-parts.ts";
import type { ContextFigures } from "./context-figures.ts";
import type { HostToolCall, HostToolResult } from "./host-tool-call.ts";
import type { ModelCall, ModelCallRequest } from "./model-calls.ts";
import type { Fields } from "./payload-format.ts";
import type { SentModelOptions } from "./sent-requests.ts";

/**
 * Connects one session to a harness: everything that an adapter does in addition to the translation of messages and hooks.
 * A failure of the context manager never reaches the host. After one, the host sends its own messages and runs its tools
 * as without the context manager, the user is notified once, and each later call tries again.
 */
export interface Connection<Raw> extends AsyncDisposable {
  /** Whether managed context is on. */
  readonly isOn: boolean;
  /** Whether no view was made since the last failure. */
  readonly isFailing: boolean;
  /** The context tools for the model. Empty if their names are taken: then the session is only recorded. */
  readonly tools: readonly BoundTool[];
  /** The standing instruction with the names of the tools. */
  readonly instruction: string;
  /** Whether the last model call got a view. */
  readonly isManaged: boolean;
  /** Whether the user went back and no list was ingested since. */
  readonly isRewound: boolean;
  /**
   * Begins the operations of one request, for a host that has several of them for each. From the first call on, an opening
   * of the session that failed is tried again only at the next request, so that no request waits for more than one.
   */
  beginRequest(): void;
  /** Returns the open session, and opens it if needed. Rejects if it cannot be opened now. */
  session(): Promise<ContextSession>;
  /** The session if it is open now. */
  readonly present: ContextSession | undefined;
  /**
   * Switches managed context on or off. While it is off, the host sends its own messages, without thinking that the model
   * would refuse, and its tools run unchecked.
   */
  turn(on: boolean): void;
  /**
   * Runs an adapter's own work on the session, for a hook that no other function is for. Returns undefined after a failure,
   * of which the user is notified, and while managed context is off. Never rejects.
   */
  attempt<Result>(work: (session: ContextSession) => Promise<Result>): Promise<Result | undefined>;
  /**
   * Records the host's system prompt and the instruction of the context manager. Returns the prompt to send: the host's
   * with the instruction, or the host's alone after a failure and if there are no context tools. Never rejects.
   */
  systemPrompt(text: string): Promise<string>;
  /**
   * Records what host tools did, ingests the messages and makes the view. Returns the messages of the next request in the
   * host's form, or undefined if the host's own messages must be sent. After a failure and with `recordOnly`, a model that
   * binds its thinking gets the host's own messages without signed thinking, because earlier answers can be those to a view.
   * It is called once for each request, because each call is recorded. Never rejects.
   */
  modelCall(request: ModelCallRequest<Raw>): Promise<ModelCall<Raw> | undefined>;
  /**
   * Records that the provider refused the last request with this error text. If the prompt was too long, the next view is
   * shorter. Without a text, the host has found out in another way that the prompt was too long; then nothing changes if this
   * request was reported already. Returns whether the prompt was too long; false after a failure. Never rejects.
   */
  refused(error?: string): Promise<boolean>;
  /**
   * Called with each request in the form in which the provider gets it: an object, or the text that is sent. Its hash is
   * stored with the call, without waiting for it. Returns the request with the view's breakpoints, or undefined if it stays
   * as it is: `breakpoints` is `host`, or the request has no view. Never throws.
   */
  payload(payload: unknown): Fields | undefined;
  /** Called with the tokens that the provider reported with an answer, for the figures. */
  answered(usage: ReportedUsage): void;
  /**
   * Returns the options of a view for a model: as core's `modelOptions`, with what the requests of `payload` have shown about
   * the provider's cache.
   */
  modelOptions(facts: ModelFacts): SentModelOptions;
  /** Returns the view that the next model call would get, for the user. Nothing is recorded. Rejects after a failure. */
  peek(options?: ViewOptions): Promise<View>;
  /** Returns the figures of a view and of the calls so far, for the user. */
  figures(view: View, prices?: PriceProfile): ContextFigures;
  /**
   * Called when the user has gone back to an earlier point. The next list is read as the one of that point; until the session
   * has it, the report is kept.
   */
  wentBack(): void;
  /**
   * Called before a tool of the host runs. Returns the reason for the model why it must not run, or undefined if it can.
   * Until `endTool`, a file that the call writes is held, so that its change counts as the tool's. Never rejects.
   */
  beginTool(call: HostToolCall): Promise<string | undefined>;
  /**
   * Called after a tool of the host has run: records what it read, wrote or named, and releases what it held. If the store
   * does not work, the next model call records it. Never rejects.
   */
  endTool(call: HostToolCall, result: HostToolResult): Promise<void>;
  /**
   * Releases the holds of calls that ended without a report: those with these ids. Default: all. Never rejects.
   */
  endTools(callIds?: readonly string[]): Promise<void>;
  /** Ingests the host's messages after the last answer of a run. Never rejects. */
  ingest(messages: readonly Raw[], signals?: HostSignals): Promise<void>;
  /** Releases all holds and disposes of the session. Later operations do nothing. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The answer of a context tool while managed context is off. */
const whileOff: BoundAnswer = {
  text: "Managed context is off; the user can switch it on.",
  isError: true,
  details: {},
};

/** Connects one session to a harness. It does no I/O before the first hook. */
export function connect<Raw>(options: ConnectOptions<Raw>): Connection<Raw> {
  const parts = connectionParts(options);
  const { beside, calls, canActivate, guard, notices, records, sent, prompts, summaries } = parts;
  const isOwn = (toolName: string): boolean => beside().tools.some(({ name }) => name === toolName);

  /** Stores the request's hash with its call. Nothing waits for it. */
  function keepHash(payload: unknown): void {
    const { call } = sent;
    if (call === undefined) return;
    const hash = sha256(typeof payload === "string" ? payload : JSON.stringify(payload));
    void guard.attempt(async (session) => await session.recordPayload(call, hash), "waits");
  }

  return {
    get isOn() {
      return guard.isOn;
    },
    get isFailing() {
      return notices.isFailing;
    },
    get tools() {
      return boundTools(beside().tools, async (work) =>
        guard.isOn ? await guard.runTool(work) : whileOff,
      );
    },
    get instruction() {
      return beside().instruction;
    },
    get isManaged() {
      return sent.call !== undefined;
    },
    get present() {
      return guard.present;
    },
    beginRequest: () => guard.beginRequest(),
    session: async () => await guard.open(),
    turn: (on) => void (guard.isOn = on),
    attempt: async (work) => await guard.attempt(work),
    async systemPrompt(text) {
      prompts.host = text;
      const own = await guard.attempt(async (session) => {
        if (!canActivate()) return undefined;
        await session.recordSystemPrompt("host", text);
        return await session.recordSystemPrompt("own", beside().instruction);
      });
      const isNamed = options.isPromptLasting === true && guard.isOn && canActivate();
      const instruction = own ?? (isNamed ? beside().instruction : undefined);
      return instruction === undefined ? text : `${text}\n\n${instruction}`;
    },
    ...calls,
    get isRewound() {
      return calls.isRewound;
    },
    payload(payload) {
      try {
        const marked = guard.isOn ? sent.payload(payload) : undefined;
        keepHash(marked ?? payload);
        return marked;
      } catch (error) {
        // Without the view's breakpoints the request is still valid, with the host's own.
        notices.failed(error);
        return undefined;
      }
    },
    answered: (usage) => sent.answered(usage),
    modelOptions: (facts) => sent.modelOptions(facts),
    figures: (view, prices) => ({
      ...sent.figures(view, prices),
      ...defined({ summaryFailure: summaries.failure }),
    }),
    async beginTool(call) {
      return guard.isDisposed || isOwn(call.name) ? undefined : await records.begin(call);
    },
    async endTool(call, result) {
      if (!guard.isDisposed && !isOwn(call.name)) await records.end(call, result);
    },
    endTools: async (callIds) => await records.endAll(callIds),
    async [Symbol.asyncDispose]() {
      summaries.end();
      guard.isDisposed = true;
      await records.endAll();
      await guard[Symbol.asyncDispose]();
    },
  };
}
