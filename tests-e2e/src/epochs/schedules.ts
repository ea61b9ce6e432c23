import { calibratedEstimator, messageTokens } from "@self-context-manager/core/layout";
import {
  type ContextSession,
  epochLayout,
  type FileSource,
  type Message,
  openContextSession,
  recentlyUsedPolicy,
  silentLogger,
  type View,
  readList,
} from "@self-context-manager/core";
import type { MessageCodec } from "@self-context-manager/core/host";
import { objectId } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";

/**
 * A session on which schedules are compared: the number of tokens of each call's result, and the calls that begin a
 * user's turn.
 */
export interface ShortSession {
  readonly calls: readonly { readonly size: number; readonly isTurnStart: boolean }[];
  readonly read: number;
  readonly write: number;
}

/** The bill of a schedule in tokens at the plain input price, and the calls at which its epochs ended. */
export interface Schedule {
  readonly cost: number;
  readonly ends: readonly number[];
}

/** The tokens of the system prompt and the tools. */
const prefixTokens = 1_000;
const lifetime = 1_000;

/** Returns the schedule of the online rule. */
export async function onlineSchedule(session: ShortSession): Promise<Schedule> {
  return await schedule(session, () => "free");
}

/**
 * Returns the cheapest of all schedules. At each call an epoch either ends, if content can leave the view, or
 * continues.
 */
export async function bestSchedule(session: ShortSession): Promise<Schedule> {
  let best: Schedule | undefined;
  const count = 2 ** session.calls.length;
  for (let bits = 0; bits < count; bits += 1) {
    const tried = await schedule(session, (call) => ((bits >> call) & 1 ? "end" : "go-on"));
    if (best === undefined || tried.cost < best.cost) best = tried;
  }
  if (best === undefined)
    throw new TypeError("no schedule was tried, not even the one without an end");
  return best;
}

/** Runs a session. An end is forced by a cold cache. The cache itself is not billed: only the changed bytes are. */
async function schedule(
  { calls, read, write }: ShortSession,
  decide: (call: number) => "free" | "end" | "go-on",
): Promise<Schedule> {
  let now = 1_000_000;
  let ids = 0;
  const isFree = decide(0) === "free";
  const never = { share: Number.POSITIVE_INFINITY, shareAtTurn: Number.POSITIVE_INFINITY };
  const clock = { now: () => now };
  const session = await openContextSession(
    {
      store: memoryStore({ clock }),
      files: noFiles,
      ids: {
        next: () => {
          ids += 1;
          return objectId(`o${ids}`);
        },
      },
      logger: silentLogger,
      policy: recentlyUsedPolicy({ alive: 3, kept: 1 }),
      layout: epochLayout(isFree ? {} : never),
      workspace: "/w",
      readLimits: { lines: 2_000, characters: 50_000 },
      clock,
    },
    { harness: "scripted", sessionId: "s" },
  );
  const prices = {
    read,
    write,
    lifetime,
    minimum: 0,
    tiers: [],
    caching: "explicit" as const,
    source: "default" as const,
  };
  const messages: Message[] = [];
  const ends: number[] = [];
  let former: View["messages"] = [];
  let cost = 0;
  for (const [index, { size, isTurnStart }] of calls.entries()) {
    if (index === 0 || isTurnStart) messages.push({ role: "user", content: `do ${index}` });
    now += decide(index) === "end" ? 2 * lifetime : 1;
    const view = await viewOf(session, messages, prices);
    if (view.epoch?.isNew === true) ends.push(index);
    cost += billed(former, view.messages, read, write);
    former = view.messages;
    messages.push(...callAnd(index, size));
  }
  return { cost, ends };
}

async function viewOf(
  session: ContextSession,
  messages: readonly Message[],
  prices: Parameters<ContextSession["nextView"]>[0] extends infer Options
    ? Options extends { readonly prices?: infer Prices }
      ? Prices
      : never
    : never,
): Promise<View> {
  await session.ingest(
    readList(
      messages.map((message, index) => ({ message, index })),
      codec,
    ),
  );
  return await session.nextView({ ...(prices === undefined ? {} : { prices }), model: "m" });
}

const codec: MessageCodec<{ readonly message: Message; readonly index: number }> = {
  identify: ({ message, index }) => ({
    role: message.role,
    key: String(index),
    ...(message.role === "toolResult" ? { callId: message.toolCallId } : {}),
  }),
  decode: ({ message }) => message,
};

function callAnd(index: number, size: number): readonly Message[] {
  const id = `call-${index}`;
  const name = "bash";
  const call = { type: "toolCall", id, name, arguments: { command: `make ${index}` } };
  const text = `${index}: ${"word ".repeat(size)}`;
  return [
    { role: "assistant", content: [call], meta: { stopReason: "toolUse" } },
    {
      role: "toolResult",
      toolCallId: id,
      toolName: name,
      content: [{ type: "text", text }],
      isError: false,
    },
  ];
}

const estimator = calibratedEstimator();

/** Bills a call: the common prefix of both prompts is read, and the rest is written. */
function billed(
  former: View["messages"],
  messages: View["messages"],
  read: number,
  write: number,
): number {
  let cost = former.length === 0 ? prefixTokens * write : prefixTokens * read;
  let isShared = true;
  for (const [index, message] of messages.entries()) {
    isShared &&= former[index] === message;
    cost += messageTokens(message, estimator) * (isShared ? read : write);
  }
  return cost;
}

const noFiles: FileSource = {
  resolve: (path) => path,
  list: async () => await Promise.resolve([]),
  stat: async () => undefined,
  read: async (path) => {
    throw new TypeError(`no call of this session reads ${path}`);
  },
};
