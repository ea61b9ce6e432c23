import type { ContextSession, View, ViewOptions } from "@self-context-manager/core";
import {
  type Breakpoints,
  connect,
  type Connection,
  defined,
  sha256,
  type SummaryOptions,
} from "@self-context-manager/core/host";

import { isRecorded } from "./host-tool-call.ts";
import { viewOptions } from "./model-facts.ts";
import type { OpenContext, OpenedContext } from "./opened-context.ts";
import { type OwnMessages, ownMessages } from "./own-messages.ts";
import { piAdapter } from "./pi-adapter.ts";
import { isFields, type PiApi, type PiContext } from "./pi-api.ts";
import { piClock } from "./pi-clock.ts";
import { piCodec, piMessage } from "./pi-codec.ts";
import { piNotices, showWarning, statusKey } from "./pi-notices.ts";
import { piSummarizer } from "./pi-summarizer.ts";
import { refusalIn, withoutThinking } from "./pi-thinking.ts";
import { type RegisteredTools, registeredTools } from "./pi-tools.ts";
import { statusLine } from "./status-line.ts";

export interface PiSessionsOptions {
  /** Opens the store with a session. If it rejects, the user is notified of the error once. */
  readonly openContext: OpenContext;
  /** Whose cache breakpoints go to the provider. Default: `own`, those of the view. */
  readonly breakpoints?: Breakpoints;
  /** Whether Pi asks for long-lived cache entries. Default: false, until a request shows otherwise. */
  readonly isCacheLong?: boolean;
  /**
   * Has a model write summaries of finished turns: the named one of Pi's registry (`provider/id`), or else the session's.
   * `results`: also a line for each long result. Default: no model is asked.
   */
  readonly summaries?: { readonly model?: string; readonly results?: boolean };
}

/** A session of Pi with its connection. */
export interface PiSession {
  readonly id: string;
  readonly connection: Connection<unknown>;
  /** Pi's own messages. */
  readonly own: OwnMessages;
  /** Pi's context object, as the last hook got it. */
  context: PiContext;
  /** The system prompt as it is sent. */
  prompt: string;
  /** How many more tokens Pi would have sent with the last request without the extension. */
  savedTokens: number;
  /** The user compacted the chat after the last request, and only the next one has the new list. */
  isCompacted: boolean;
  /** What was opened for the session; undefined if nothing is open. */
  opened(): OpenedContext | undefined;
}

/** The one session that Pi has open at a time. */
export interface PiSessions {
  readonly tools: RegisteredTools;
  /** Returns the session of a context. If it is another one than before, that one is closed. */
  at(context: PiContext): PiSession;
  /** Switches managed context on or off, in this session and in the next ones. */
  turn(on: boolean, context: PiContext): void;
  /** Returns the session of the last hook, if it was not closed. */
  present(): PiSession | undefined;
  close(): Promise<void>;
}

export function piSessions(pi: PiApi, options: PiSessionsOptions): PiSessions {
  let current: PiSession | undefined;
  let isOff = true;
  let closing: Promise<void> = Promise.resolve();
  const tools = registeredTools(pi, (context) => sessions.at(context).connection);

  const sessions: PiSessions = {
    tools,
    at(context) {
      const id = context.sessionManager.getSessionId();
      if (current?.id !== id) {
        // A session that could not be closed is no reason to open none.
        const earlier = sessions.close().catch(() => undefined);
        current = piSession({ ...options, pi, tools, id, context, earlier, isOff });
      }
      current.context = context;
      return current;
    },
    turn(on, context) {
      isOff = !on;
      sessions.at(context).connection.turn(on);
    },
    present: () => current,
    close() {
      const leaving = current;
      current = undefined;
      if (leaving !== undefined) closing = closed(closing, leaving);
      return closing;
    },
  };
  return sessions;
}

async function closed(earlier: Promise<void>, { connection }: PiSession): Promise<void> {
  await earlier;
  await connection[Symbol.asyncDispose]();
}

interface NewSession extends PiSessionsOptions {
  readonly pi: PiApi;
  readonly tools: RegisteredTools;
  readonly id: string;
  readonly context: PiContext;
  /** Resolves when the session before it is closed. */
  readonly earlier: Promise<void>;
  readonly isOff: boolean;
}

function piSession(made: NewSession): PiSession {
  const { pi, tools, id, earlier } = made;
  const opened = new Map<ContextSession, OpenedContext>();
  const connection = connect<unknown>({
    open: async () => {
      await earlier;
      const context = await made.openContext({
        ...placeOf(id, session.context),
        notify: (text) => showWarning(text, session.context),
      });
      opened.set(context.session, context);
      return context.session;
    },
    close: async (one) => {
      const context = opened.get(one);
      opened.delete(one);
      await context?.[Symbol.asyncDispose]();
    },
    codec: piCodec,
    encode: piMessage,
    hostTools: tools.hostTools,
    canActivate: () => tools.canActivate(),
    onUse: () => tools.register(connection),
    clock: piClock,
    isOff: made.isOff,
    breakpoints: made.breakpoints ?? "own",
    isCacheLong: made.isCacheLong === true,
    isPromptLasting: true,
    isRecorded,
    refusalIn,
    withoutThinking,
    ...summariesOf(made.summaries, () => session.context),
    headName: (refusals) => headName(pi, session.prompt, refusals),
    ...piNotices(id, () => session.context),
  });
  const session: PiSession = {
    id,
    connection,
    own: ownMessages(),
    context: made.context,
    prompt: "",
    savedTokens: 0,
    isCompacted: false,
    opened: () => (connection.present === undefined ? undefined : opened.get(connection.present)),
  };
  return session;
}

function summariesOf(
  given: PiSessionsOptions["summaries"],
  contextNow: () => PiContext,
): { readonly summaries?: SummaryOptions } {
  if (given === undefined) return {};
  const { model, results = false } = given;
  return { summaries: { summarizer: piSummarizer(model, contextNow), results } };
}

function placeOf(
  sessionId: string,
  { sessionManager, cwd }: PiContext,
): Omit<Parameters<OpenContext>[0], "notify"> {
  const isEphemeral =
    sessionManager.getSessionFile !== undefined && sessionManager.getSessionFile() === undefined;
  return { host: { harness: piAdapter.harness, sessionId }, workspace: cwd, isEphemeral };
}

/** Names the text before the messages: the system prompt and the tools, as far as Pi shows them. */
function headName(pi: PiApi, prompt: string, refusals: number): string {
  const active = new Set(pi.getActiveTools());
  const tools = pi
    .getAllTools()
    .filter(isFields)
    .flatMap(({ name, description, parameters }) =>
      active.has(String(name)) ? [JSON.stringify({ name, description, parameters })] : [],
    );
  return sha256(JSON.stringify([prompt, tools.toSorted(), refusals])).slice(0, 16);
}

/** Returns the options of a view for the model that Pi has now. */
export function optionsNow({ connection, context }: PiSession): ViewOptions {
  const contextWindow = context.model?.contextWindow;
  return { ...viewOptions(context.model, connection), ...defined({ contextWindow }) };
}

/** The status line after a compaction of the user. */
export const compactedStatus = "ctx compacted: new figures with the next call";

/** Returns the view that the model would get next, for the user to look at, and shows its figures in the status line. */
export async function lookedAt(session: PiSession): Promise<View> {
  const { connection, context } = session;
  const view = await connection.peek(optionsNow(session));
  if (session.isCompacted) context.ui.setStatus(statusKey, compactedStatus);
  else await showStatus(session, await connection.session(), view);
  return view;
}

/** Shows the figures of a view in the status line. */
export async function showStatus(
  session: PiSession,
  opened: ContextSession,
  { tokens, account }: View,
): Promise<void> {
  // A view that was only looked at has no call that waits for its answer.
  session.savedTokens = account?.waiting?.difference ?? session.savedTokens;
  const line = statusLine(await opened.status(), tokens, session.savedTokens);
  session.context.ui.setStatus(statusKey, line);
}
