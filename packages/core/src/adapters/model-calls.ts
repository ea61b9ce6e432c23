import type { HostSignals } from "../history/ingest-messages.ts";
import type { MessageCodec } from "../host/message-codec.ts";
import { type ReadList, readList } from "../host/read-list.ts";
import type { ContextSession } from "../session/context-session.ts";
import type { View, ViewOptions } from "../session/view-options.ts";
import type { ViewMessage } from "../view/layout.ts";
import { beginsAgain, isAnsweredAgain } from "./answered-again.ts";
import type { ConnectionNotices } from "./connection-notices.ts";
import type { GuardedSession } from "./guarded-session.ts";
import type { HostToolRecords } from "./host-tool-records.ts";
import { listIntake } from "./list-intake.ts";
import type { OwnThinking } from "./own-thinking.ts";
import { refusedRequests } from "./refused-requests.ts";
import { listOf, type RequestLists } from "./request-list.ts";
import type { SentRequests } from "./sent-requests.ts";
import type { TurnSummaries } from "./turn-summaries.ts";

/**
 * A list for the model, with the options of the view. Without `head`, the connection names the system prompt that it got
 * last and the names of the tools.
 */
export interface ModelCallRequest<Raw> extends RequestLists<Raw>, ViewOptions, HostSignals {
  /**
   * Whether this request gets no view, because the model cannot use the context tools in it. The messages are ingested, and
   * the host sends its own. Default: false.
   */
  readonly recordOnly?: boolean;
  /**
   * Returns the list with the help of the session, for a host whose list does not have every message. `sent`: the list of the
   * request, as it was read. Default: made of the lists above.
   */
  readonly complete?: (session: ContextSession, sent: ReadList<Raw>) => Promise<ReadList>;
}

/** The answer to a model call. */
export interface ModelCall<Raw> {
  /** The messages of the request, in the host's form. */
  readonly messages: readonly Raw[];
  /** The list of the request, as it was read. */
  readonly list: ReadList<Raw>;
  /** Undefined for the host's own messages without thinking that the model would refuse. */
  readonly view?: View;
}

/** The parts of a connection that its model calls use. */
export interface ModelCallParts<Raw> {
  readonly codec: MessageCodec<Raw>;
  readonly encode: (message: ViewMessage) => Raw;
  readonly guard: GuardedSession;
  readonly notices: ConnectionNotices;
  readonly records: HostToolRecords;
  readonly thinking: OwnThinking<Raw>;
  readonly sent: SentRequests<Raw>;
  readonly summaries: TurnSummaries;
  /** Whether the lists show when the user went back, because the host does not report it. */
  readonly findsWentBack: boolean;
  /** Whether there are context tools. Without them no view is ever sent. */
  readonly hasTools: () => boolean;
  /** Whether the model can use them now. If not, it could not get removed content back, so nothing is removed. */
  readonly canActivate: () => boolean;
  /** Names the text before the messages; undefined if it is not known. */
  readonly headName: () => string | undefined;
  /** Returns the estimated tokens of the instruction and of the context tools that the host does not have itself. */
  readonly ownTokens: () => number;
}

/** The requests of a session. Only `peek` rejects. */
export interface ModelCalls<Raw> {
  modelCall(request: ModelCallRequest<Raw>): Promise<ModelCall<Raw> | undefined>;
  ingest(messages: readonly Raw[], signals?: HostSignals): Promise<void>;
  refused(error?: string): Promise<boolean>;
  wentBack(): void;
  /** Returns the view that the next request would get with these options. Rejects after a failure. */
  peek(options?: ViewOptions): Promise<View>;
  /** Whether the user went back and no list was ingested since. */
  readonly isRewound: boolean;
}

export function modelCalls<Raw>(parts: ModelCallParts<Raw>): ModelCalls<Raw> {
  const { codec, encode, guard, notices, records, thinking, sent } = parts;
  const intake = listIntake(guard, notices, records);

  async function viewFor(
    session: ContextSession,
    request: ModelCallRequest<Raw>,
    { messages, marked, isBound }: ReadRequest<Raw>,
  ): Promise<ModelCall<Raw> | "own"> {
    const list = (await request.complete?.(session, messages)) ?? marked;
    if (parts.findsWentBack) intake.isRewound ||= await isAnsweredAgain(session, list);
    if (request.recordOnly === true || !parts.canActivate()) {
      await intake.ingest(session, list, request);
      return "own";
    }
    const signals = await intake.prepare(session, list, request);
    const view = await session.ingestAndView(list, {
      ...viewOptionsOf(viewOptionsIn(request), isBound),
      ...signals,
    });
    const encoded = view.messages.map(encode);
    await intake.taken(session, list);
    intake.answer.sends(list);
    if (encoded.length === 0) return "own";
    sent.sends(view, encoded);
    return { messages: encoded, list: messages, view };
  }

  function viewOptionsOf(given: ViewOptions, isBound: boolean): ViewOptions {
    const options = { ownTokens: parts.ownTokens(), ...given };
    if (!isBound) return sent.kept(options);
    const head = options.head ?? parts.headName();
    const bound = { ...options, thinking: "bound" } as const;
    return sent.kept(head === undefined ? bound : { ...bound, head });
  }

  /** Returns the host's own messages for a request without a view; undefined if they stay as they are. */
  function ownMessages(
    { head }: ModelCallRequest<Raw>,
    { messages, isBound }: ReadRequest<Raw>,
  ): ModelCall<Raw> | undefined {
    if (guard.isDisposed) return undefined;
    try {
      intake.answer.misses(messages);
      const kept = thinking.sendsOwn(messages, {
        isBound,
        head: () => head ?? parts.headName() ?? "",
        isManaged: guard.isOn && parts.hasTools(),
      });
      return kept === undefined ? undefined : { messages: kept, list: messages };
    } catch (error) {
      // The codec failed. The host sends its messages as they are.
      notices.failed(error);
      return undefined;
    }
  }

  /** Reads the list of a request; undefined if the codec failed. Then the host sends its messages as they are. */
  function read(request: ModelCallRequest<Raw>): ReadRequest<Raw> | undefined {
    const { model, thinking: known } = request;
    try {
      const messages = readList(request.messages, codec);
      thinking.follows(messages, () => thinking.binds(model, known));
      const marked = listOf(messages, codec, request);
      return { messages, marked, isBound: thinking.binds(model, known) };
    } catch (error) {
      if (guard.isOn) notices.failed(error);
      return undefined;
    }
  }

  return {
    get isRewound() {
      return intake.isRewound;
    },
    wentBack: () => void (intake.isRewound = true),
    peek: async (options = {}) => {
      const isBound = thinking.binds(options.model, options.thinking);
      return await guard.use(
        async (session) => await session.peekView(viewOptionsOf(options, isBound)),
      );
    },
    async modelCall(request) {
      sent.sendsOwn(request.model);
      // Kept before the session is opened, because that can fail too.
      intake.isRewound ||= request.rewound === true;
      const given = read(request);
      if (given === undefined) return undefined;
      if (parts.findsWentBack) intake.isRewound ||= beginsAgain(given.marked);
      const made = await guard.attempt(async (session) => await viewFor(session, request, given));
      if (made === undefined || made === "own") return ownMessages(request, given);
      thinking.sendsView();
      parts.summaries.soon();
      return made;
    },
    refused: refusedRequests(guard, sent, thinking),
    async ingest(messages, signals = {}) {
      intake.isRewound ||= signals.rewound === true;
      await guard.attempt(
        async (session) => await intake.ingest(session, readList(messages, codec), signals),
      );
      // While the session is only recorded, no view shows a summary.
      if (parts.canActivate()) parts.summaries.soon();
    },
  };
}

/** A request whose list was read. */
interface ReadRequest<Raw> {
  readonly messages: ReadList<Raw>;
  /** The list for the session, with what others have left out and added. */
  readonly marked: ReadList;
  /** Whether the model binds its thinking. */
  readonly isBound: boolean;
}

function viewOptionsIn<Raw>(request: ModelCallRequest<Raw>): ViewOptions {
  const { messages: _m, host: _h, added: _a, complete: _c, recordOnly: _o, ...others } = request;
  const { rewound: _r, summaries: _s, answerAt: _i, ...options } = others;
  return options;
}
