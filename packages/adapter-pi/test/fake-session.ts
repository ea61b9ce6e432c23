import {
  type ContextSession,
  type FileSource,
  type HostSignals,
  type ReadList,
  type ToolAnswer,
  usualToolFacts,
} from "@self-context-manager/core";

import type { OpenContext } from "../src/opened-context.ts";

/** A session that only records the operations asked of it, and rejects while `failure` is set. */
export interface FakeSession {
  readonly calls: readonly (readonly unknown[])[];
  /** Forgets the calls so far. */
  forget(): void;
  /** The announced tools of the host. */
  readonly announced: readonly string[];
  readonly opened: readonly string[];
  readonly closed: readonly string[];
  readonly openContext: (
    where: Omit<Parameters<OpenContext>[0], "notify">,
  ) => ReturnType<OpenContext>;
  /** The address of the inspector's page; undefined if there is no page. */
  page: string | undefined;
  /** The error with which each operation rejects; undefined for success. */
  failure: Error | undefined;
  /** The error with which only `status` rejects. */
  statusFailure: Error | undefined;
  answer: ToolAnswer;
  /** The reason for which no tool call may run; undefined if all may. */
  reason: string | undefined;
  /** Whether another process has the session open. */
  isShared: boolean;
  /** The boundaries of the views that it returns. */
  boundaries: readonly number[];
  /** Answers whether the store works. */
  check: () => Promise<void>;
  /** The known objects, as far as a test looks at them. */
  objects: readonly unknown[];
}

/** Files of which none is there. */
const noFiles: FileSource = {
  resolve: (path, base) => `${base}/${path}`,
  list: async () => await Promise.resolve([]),
  stat: async () => await Promise.resolve(undefined),
  read: async (path) => await Promise.reject(new Error(`no file at ${path}`)),
};

export function fakeSession(): FakeSession {
  const calls: (readonly unknown[])[] = [];
  const announced: string[] = [];
  const opened: string[] = [];
  const closed: string[] = [];
  const note = async <Result>(name: string, args: readonly unknown[], result: Result) => {
    if (fake.failure !== undefined) throw fake.failure;
    calls.push([name, ...args]);
    return await Promise.resolve(result);
  };
  const answering =
    (name: string) =>
    async (...args: readonly unknown[]): Promise<ToolAnswer> =>
      await note(name, args, fake.answer);
  const silent =
    (name: string) =>
    async (...args: readonly unknown[]): Promise<void> =>
      await note(name, args, undefined);
  const message = { role: "user", content: "the view", timestamp: 1 } as const;
  const shown = (): unknown => ({
    messages: [message],
    tokens: { metadata: 1, chat: 2, active: 3 },
    shown: [],
    boundaries: fake.boundaries,
    layout: "fake",
  });
  const session = {
    host: { harness: "pi", sessionId: "session-1" },
    workspace: "/work",
    files: noFiles,
    toolFacts: usualToolFacts,
    get isShared() {
      return fake.isShared;
    },
    ingest: async ({ messages }: ReadList, signals: HostSignals) =>
      await note("ingest", [messages.length, collected(signals)], { type: "appended", added: 0 }),
    peekView: async (options: unknown) => await note("peekView", [options], shown()),
    ingestAndView: async ({ messages }: ReadList, options: HostSignals) =>
      await note("ingestAndView", [messages.length, collected(options)], shown()),
    status: async () => {
      if (fake.statusFailure !== undefined) throw fake.statusFailure;
      return await note("status", [], {
        sessionId: "session",
        chatId: "chat-7",
        objects: fake.objects,
        activeCount: 0,
        turnCount: 4,
        summaries: { count: 0, calls: 0, input: 0, output: 0 },
      });
    },
    read: answering("read"),
    activate: answering("activate"),
    deactivate: answering("deactivate"),
    pin: answering("pin"),
    unpin: answering("unpin"),
    load: answering("load"),
    inspect: answering("inspect"),
    name: answering("name"),
    recordRead: silent("recordRead"),
    recordRefusal: async (refusal: { readonly error: string; readonly isTooLong?: boolean }) =>
      await note(
        "recordRefusal",
        [refusal],
        refusal.isTooLong === true || refusal.error.includes("too long"),
      ),
    announceTools: (names: readonly string[]) => void announced.push(...names),
    checkArguments: async () => {
      if (fake.failure !== undefined) throw fake.failure;
      return await Promise.resolve(fake.reason);
    },
    holdWrite: async (path: string) =>
      await note("holdWrite", [path], { [Symbol.asyncDispose]: async () => {} }),
    recordWrite: silent("recordWrite"),
    recordNamed: silent("recordNamed"),
    recordSystemPrompt: silent("recordSystemPrompt"),
    check: async () => await fake.check(),
  };
  const fake: FakeSession = {
    calls,
    announced,
    forget: () => void calls.splice(0),
    opened,
    closed,
    failure: undefined,
    statusFailure: undefined,
    reason: undefined,
    isShared: false,
    page: undefined,
    answer: { ok: true, text: "done", effects: [] },
    boundaries: [],
    check: async () => {
      if (fake.failure !== undefined) throw fake.failure;
      await Promise.resolve();
    },
    objects: [],
    openContext: async ({ host }) => {
      if (fake.failure !== undefined) throw fake.failure;
      opened.push(host.sessionId);
      return await Promise.resolve({
        session: session as unknown as ContextSession,
        ...(fake.page === undefined
          ? {}
          : { inspect: async () => await Promise.resolve(fake.page ?? "") }),
        [Symbol.asyncDispose]: async () => {
          closed.push(host.sessionId);
          await Promise.resolve();
        },
      });
    },
  };
  return fake;
}

/** Returns signals with the summaries themselves; without the field if there are none. */
function collected({ summaries, ...others }: HostSignals): unknown {
  const found = summaries?.() ?? [];
  return found.length === 0 ? others : { ...others, summaries: found };
}
