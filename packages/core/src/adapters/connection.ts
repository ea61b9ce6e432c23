import { sha256, StoreError } from "@self-context-manager/objects";
import type { HostSignals } from "../history/ingest-messages.ts";
import { type MarkedList, markedList } from "../host/marked-list.ts";
import type { MessageCodec } from "../host/message-codec.ts";
import type { ContextSession } from "../session/context-session.ts";
import { contextToolsBeside } from "../session/context-tools.ts";
import type { View, ViewOptions } from "../session/view-options.ts";
import type { ViewMessage } from "../view/layout.ts";
import { type BoundTool, boundTools } from "./bound-tools.ts";
import {
  failureNotice,
  lostStoreText,
  otherStoreText,
  sharedSessionText,
} from "./failure-notice.ts";
import { heldSession } from "./held-session.ts";
import { heldWrites } from "./held-writes.ts";
import type { HostToolCall, HostToolResult } from "./host-tool-call.ts";
import { messagesWithoutThinking } from "./messages-without-thinking.ts";
import { pendingRecordings } from "./pending-recordings.ts";
import { recordCall } from "./record-call.ts";
import { isSessionGone, isStoreFailure } from "./store-failure.ts";
import { viewAnswer } from "./view-answer.ts";

/** What `connect` needs of a host. */
export interface ConnectOptions<Raw> {
  /**
   * Opens the session. It is called for the first operation, and again after the session was closed or its store was
   * lost. If it rejects, the next operation calls it again, or with `beginRequest` the next request.
   */
  readonly open: () => Promise<ContextSession>;
  readonly codec: MessageCodec<Raw>;
  /** Converts a message of a view to the host's form. */
  readonly encode: (message: ViewMessage) => Raw;
  /**
   * The names of the host's own tools; an empty list if it has none. Context tools get other names if one of theirs is
   * taken, and there is no `read` if the host reads files itself.
   */
  readonly hostTools: readonly string[];
  /**
   * Shows the user a text outside the chat. It is called once for each failure until the failure is over, and once if the
   * store was lost, if another process has the session open, or if the session was begun on another store. It must not
   * throw. Default: the user is not notified.
   */
  readonly notify?: (text: string) => void;
}

/**
 * A list for the model, with the options of the view. Without `head`, the connection names the system prompt that it got
 * last and the names of the tools.
 */
export interface ModelCallRequest<Raw> extends ViewOptions, HostSignals {
  /** The list of the request, without the system prompt. */
  readonly messages: readonly Raw[];
  /** The host's own messages, if other extensions can have changed the list (see `markedList`). */
  readonly host?: readonly Raw[];
  /** Those of `messages` that others added for this request. Default: none. */
  readonly added?: ReadonlySet<Raw>;
  /**
   * Whether this request gets no view, because the model cannot use the context tools in it. The messages are ingested, and
   * the host sends its own. Default: false.
   */
  readonly recordOnly?: boolean;
}

/** The answer to a model call. */
export interface ModelCall<Raw> {
  /** The messages of the request, in the host's form. */
  readonly messages: readonly Raw[];
  /** Undefined for the host's own messages without thinking that the model would refuse. */
  readonly view?: View;
}

/**
 * Connects one session to a harness: everything that an adapter does in addition to the translation of messages and hooks.
 * A failure of the context manager never reaches the host. After one, the host sends its own messages and runs its tools
 * as without the context manager, the user is notified once, and each later call tries again.
 */
export interface Connection<Raw> extends AsyncDisposable {
  /** The context tools for the model. Empty if their names are taken: then the session is only recorded. */
  readonly tools: readonly BoundTool[];
  /** The standing instruction with the names of the tools. */
  readonly instruction: string;
  /** Whether the last model call got a view. */
  readonly isManaged: boolean;
  /**
   * Begins the operations of one request, for a host that has several of them for each. From the first call on, an opening
   * of the session that failed is tried again only at the next request, so that no request waits for more than one.
   */
  beginRequest(): void;
  /** Returns the open session, and opens it if needed. Rejects if it cannot be opened now. */
  session(): Promise<ContextSession>;
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
   * shorter. Returns whether it was; false after a failure. Never rejects.
   */
  refused(error: string): Promise<boolean>;
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

/** Connects one session to a harness. It does no I/O before the first hook. */
export function connect<Raw>(options: ConnectOptions<Raw>): Connection<Raw> {
  const { codec, encode, hostTools, notify = () => undefined } = options;
  const { tools, instruction } = contextToolsBeside(hostTools);
  const ownNames: ReadonlySet<string> = new Set(tools.map(({ name }) => name));
  const notice = failureNotice();
  const answer = viewAnswer(codec);
  const pending = pendingRecordings(isStoreFailure);
  const writes = heldWrites();
  const notified = new Set<string>();
  const held = heldSession(async () => {
    const session = await options.open();
    session.announceTools(hostTools);
    return session;
  });
  /** The call of the last request; undefined if it had the host's own messages. */
  let call: number | undefined;
  /** The model of the last request. */
  let model: string | undefined;
  /** The host's system prompt; undefined if the host has not shown it. */
  let prompt: string | undefined;
  let lost: ContextSession | undefined;
  /** The store was lost, and the new one does not have the host's messages, and so not their handles, yet. */
  let lacksHistory = false;
  /** The user went back, and no ingest since has succeeded. */
  let isRewound = false;
  let isDisposed = false;

  function notifyOnce(text: string): void {
    if (notified.has(text)) return;
    notified.add(text);
    notify(text);
  }

  /** Drops a session whose store was lost or closed. Other calls can meet the same loss at the same time. */
  function leave(session: ContextSession, error: unknown): void {
    if (StoreError.is(error, "STORE_LOST") && session !== lost) {
      lost = session;
      lacksHistory = true;
      notify(lostStoreText(error));
    }
    held.drop(session);
  }

  /** Runs work on the session, and once more on the session opened again if it was lost or closed. */
  async function withSession<Result>(
    work: (session: ContextSession) => Promise<Result>,
  ): Promise<Result> {
    const session = await held.open();
    try {
      return await work(session);
    } catch (error) {
      if (!isSessionGone(error) || isDisposed) throw error;
      leave(session, error);
    }
    const again = await held.open();
    try {
      return await work(again);
    } catch (error) {
      if (isSessionGone(error)) leave(again, error);
      throw error;
    }
  }

  function failed(error: unknown): void {
    const text = notice.failed(error);
    if (text !== undefined) notify(text);
  }

  /** Runs work on the session. Notifies the user of a failure and returns undefined. */
  async function guarded<Result>(
    work: (session: ContextSession) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (isDisposed) return undefined;
    try {
      return await withSession(async (session) => {
        const result = await work(session);
        if (session.isShared) notifyOnce(sharedSessionText);
        if (session.isFromOtherStore && lost === undefined) notifyOnce(otherStoreText());
        return result;
      });
    } catch (error) {
      // Not rethrown: a failure here must not stop the host, which continues with its own messages. An operation that the
      // end of the connection cut short is no failure.
      if (!isDisposed) failed(error);
      return undefined;
    }
  }

  async function recordPending(
    session: ContextSession,
    { messages, codec: reading }: MarkedList<Raw>,
    signals: HostSignals,
  ): Promise<void> {
    // What is recorded after it gets no handle that the messages mention.
    if (lacksHistory) await session.ingest(messages, reading, signals);
    lacksHistory = false;
    await pending.record(session);
  }

  /** Returns the signals for a list that is passed to the session. */
  function signalsFor(messages: readonly Raw[], { summaries }: HostSignals): HostSignals {
    const answerAt = answer.indexIn(messages);
    return {
      ...(isRewound ? { rewound: true } : {}),
      ...(answerAt === undefined ? {} : { answerAt }),
      ...(summaries === undefined ? {} : { summaries }),
    };
  }

  /** Returns the host's own messages for a request without a view; undefined if they stay as they are. */
  function ownMessages({ messages, thinking }: ModelCallRequest<Raw>): ModelCall<Raw> | undefined {
    if (isDisposed) return undefined;
    try {
      answer.misses(messages);
      if (thinking !== "bound") return undefined;
      return { messages: messagesWithoutThinking(messages, codec, encode) };
    } catch (error) {
      // The codec failed. The host sends its messages as they are.
      failed(error);
      return undefined;
    }
  }

  /** Names the text before the messages, as far as the host shows it. */
  function headName(): string | undefined {
    if (prompt === undefined) return undefined;
    return sha256(JSON.stringify([prompt, hostTools, instruction])).slice(0, 16);
  }

  /** Releases holds. A change that cannot be stored now is stored with the next change of its file. */
  async function release(callIds?: readonly string[]): Promise<void> {
    const ended =
      callIds === undefined ? [writes.endAll()] : callIds.map(async (id) => await writes.end(id));
    for (const one of await Promise.allSettled(ended))
      if (one.status === "rejected" && !isDisposed) failed(one.reason);
  }

  return {
    tools: boundTools(
      tools,
      async (work) =>
        await withSession(async (session) => {
          if (lacksHistory) throw new Error("the store was lost and a new one is begun; try again");
          return await work(session);
        }),
    ),
    instruction,
    get isManaged() {
      return call !== undefined;
    },
    beginRequest: () => held.beginRequest(),
    session: async () => await held.open(),
    async systemPrompt(text) {
      prompt = text;
      if (tools.length === 0) return text;
      const own = await guarded(async (session) => {
        await session.recordSystemPrompt("host", text);
        return await session.recordSystemPrompt("own", instruction);
      });
      return own === undefined ? text : `${text}\n\n${own}`;
    },
    async modelCall(request) {
      const { messages, host, added = new Set(), recordOnly = false, ...viewOptions } = request;
      call = undefined;
      model = viewOptions.model;
      // Kept before the session is opened, because that can fail too.
      isRewound ||= request.rewound === true;
      const head = viewOptions.head ?? headName();
      const made = await guarded<ModelCall<Raw> | "own">(async (session) => {
        const list = listOf(codec, messages, host, added);
        const signals = signalsFor(list.messages, request);
        await recordPending(session, list, signals);
        if (recordOnly || tools.length === 0) {
          await session.ingest(list.messages, list.codec, signals);
          isRewound = false;
          notice.recovered();
          return "own";
        }
        const view = await session.ingestAndView(list.messages, list.codec, {
          ...viewOptions,
          ...signals,
          ...(head === undefined ? {} : { head }),
        });
        const encoded = view.messages.map(encode);
        notice.recovered();
        isRewound = false;
        answer.sends(list.messages);
        if (encoded.length === 0) return "own";
        call = view.call;
        return { messages: encoded, view };
      });
      // Without the context tools no view was ever sent, so nothing is bound to one.
      if (tools.length === 0) return undefined;
      return made === undefined || made === "own" ? ownMessages(request) : made;
    },
    async refused(error) {
      const isTooLong = await guarded(
        async (session) =>
          await session.recordRefusal({
            error,
            ...(call === undefined ? {} : { call }),
            ...(model === undefined ? {} : { model }),
          }),
      );
      return isTooLong === true;
    },
    async beginTool(toolCall) {
      if (isDisposed || ownNames.has(toolCall.name)) return undefined;
      if (notice.isOn) return await checked(held.present, toolCall);
      return await guarded(async (session) => {
        const reason = await session.checkArguments(toolCall.name, toolCall.args);
        if (reason === undefined) await writes.begin(session, toolCall);
        return reason;
      });
    },
    async endTool(toolCall, result) {
      if (isDisposed || ownNames.has(toolCall.name)) return;
      pending.add(async (session) => await recordCall(session, toolCall, result));
      // The next model call finds out whether the session works again, and then records this call.
      if (!notice.isOn)
        await guarded(async (session) => {
          if (!lacksHistory) await pending.record(session);
        });
      await release([toolCall.id]);
    },
    endTools: release,
    async ingest(messages, signals = {}) {
      isRewound ||= signals.rewound === true;
      await guarded(async (session) => {
        const given = signalsFor(messages, signals);
        await recordPending(session, { messages, codec }, given);
        await session.ingest(messages, codec, given);
        isRewound = false;
        notice.recovered();
      });
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      await release();
      await held[Symbol.asyncDispose]();
    },
  };
}

/**
 * Checks a call while the session does not work. An earlier request can have shown stand-ins. This opens nothing, so a tool
 * does not wait for a store that does not answer.
 */
async function checked(
  session: ContextSession | undefined,
  { name, args }: HostToolCall,
): Promise<string | undefined> {
  try {
    return await session?.checkArguments(name, args);
  } catch {
    // The user has been notified of the failure. The call runs, as it does without the context manager.
    return undefined;
  }
}

function listOf<Raw>(
  codec: MessageCodec<Raw>,
  messages: readonly Raw[],
  host: readonly Raw[] | undefined,
  added: ReadonlySet<Raw>,
): MarkedList<Raw> {
  if (host === undefined && added.size === 0) return { messages, codec };
  const own = host ?? messages.filter((message) => !added.has(message));
  return markedList(codec, { host: own, sent: messages, added });
}
