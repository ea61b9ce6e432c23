import type { ContextSession } from "../session/context-session.ts";
import type { HostClock } from "../host/host-clock.ts";
import type { MessageCodec } from "../host/message-codec.ts";
import type { ViewMessage } from "../view/layout.ts";
import type { NoticeOptions } from "./connection-notices.ts";
import type { OwnThinkingOptions } from "./own-thinking.ts";
import type { Breakpoints } from "./sent-requests.ts";
import type { SummaryOptions } from "./turn-summaries.ts";

/** What `connect` needs of a host. Most hosts need the first four, and `notify`. */
export interface ConnectOptions<Raw> extends NoticeOptions, Partial<OwnThinkingOptions<Raw>> {
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
   * taken, and there is no `read` if the host reads files itself. A function for a host whose tools change: it is called
   * again and again.
   */
  readonly hostTools: readonly string[] | (() => readonly string[]);
  /** Closes a session that `open` has returned, with what belongs to it. Default: disposes of it. */
  readonly close?: (session: ContextSession) => Promise<void>;
  /**
   * The time. With it, no hook waits long for a store that does not work, and the connection knows how long the provider
   * keeps a prompt that the host sends again. Default: a hook waits until the store answers.
   */
  readonly clock?: HostClock;
  /** Whether managed context is off until `turn(true)`. Default: it is on. */
  readonly isOff?: boolean;
  /** Whose cache breakpoints `payload` puts into a request. Default: the host's. */
  readonly breakpoints?: Breakpoints;
  /** Whether the host asks for long-lived cache entries, until a request shows it. Default: no. */
  readonly isCacheLong?: boolean;
  /**
   * Whether the host asks for the system prompt once and sends it with several requests. The instruction is in it then also
   * while the store does not work, because the store can work again at the next request. Default: no.
   */
  readonly isPromptLasting?: boolean;
  /**
   * Whether the lists show when the user went back, for a host that does not report it and always has the whole chat in its
   * list. A list that ends in a user's message which the session already has is a request to answer it again, and a list
   * without an answer begins the chat again. Default: the host calls `wentBack`.
   */
  readonly findsWentBack?: boolean;
  /** Whether the effects of a tool of the host on files are recorded, by its name. Default: those of all tools. */
  readonly isRecorded?: (toolName: string) => boolean;
  /** Whether the model can use the context tools in the next request. Default: it can, if there are any. */
  readonly canActivate?: () => boolean;
  /**
   * A model that writes a summary of each finished turn, after the turn and between the calls of the next one. Default: no
   * model is asked.
   */
  readonly summaries?: SummaryOptions;
  /** Called before each work on the open session, for a host that gets its tools late. */
  readonly onUse?: () => void;
  /**
   * Names the text before the messages: any text that changes with the system prompt, the tools, and the number of
   * requests that were refused for their thinking. Default: made of the texts that the connection knows.
   */
  readonly headName?: (refusals: number) => string;
}
