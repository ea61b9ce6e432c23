import {
  type ContextSession,
  epochLayout,
  type Layout,
  type Message,
  type ObjectStore,
  pooledLayout,
  recentlyUsedPolicy,
  readList,
} from "@self-context-manager/core";
import { hostEvent, messagesOf } from "@self-context-manager/testkit";
import * as fc from "fast-check";

import { openTestSession, plainCodec, type TestSession } from "./core-sessions.ts";
import { branched, compacted } from "./host-lists.ts";

/** An event between two model calls. */
export type ViewMove =
  | { readonly type: "events"; readonly events: Parameters<typeof messagesOf>[0] }
  | { readonly type: "output"; readonly lines: number }
  | { readonly type: "compact" | "branch"; readonly keep: number }
  | { readonly type: "reopen" }
  | { readonly type: "prompt"; readonly text: string }
  | { readonly type: "read" | "pin" | "write" | "deactivate"; readonly file: number }
  | { readonly type: "window"; readonly tokens: number | undefined };

const file = fc.nat(2);

export const viewMove: fc.Arbitrary<ViewMove> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("events" as const),
      events: fc.array(hostEvent, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("output" as const), lines: fc.nat(400) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom("compact" as const, "branch" as const),
      keep: fc.nat(6),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("reopen" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("prompt" as const), text: fc.lorem({ maxCount: 4 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom(
        "read" as const,
        "pin" as const,
        "write" as const,
        "deactivate" as const,
      ),
      file,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("window" as const),
      tokens: fc.option(fc.integer({ min: 500, max: 4_000 }), { nil: undefined }),
    }),
  },
);

/** The layouts under comparison. Their epochs end early, so that short sessions have several. */
export const recordedLayouts: readonly Layout[] = [
  epochLayout({ share: 0.05, shareAtTurn: 0.02 }),
  pooledLayout,
];

/** The view of one call: the messages as JSON, and the system prompts. */
export interface HandedOver {
  readonly messages: string;
  readonly prompts: Readonly<Record<string, string>>;
}

export interface RecordedSession {
  readonly opened: TestSession;
  readonly calls: ReadonlyMap<number, HandedOver>;
}

/** Runs a session through moves, with a view after each. Keeps a copy of every view. */
export async function recordViews(
  moves: readonly ViewMove[],
  { layout, store }: { readonly layout: Layout; readonly store?: ObjectStore },
): Promise<RecordedSession> {
  const opened = await openTestSession({
    layout,
    policy: recentlyUsedPolicy({ alive: 4, kept: 2 }),
    files: Object.fromEntries([0, 1, 2].map((one) => [pathOf(one), textOf(one, 0)])),
    ...(store === undefined ? {} : { store }),
  });
  const calls = new Map<number, HandedOver>();
  const prompts: Record<string, string> = {};
  let { session } = opened;
  let messages: Message[] = [{ role: "user", content: "begin", timestamp: 1 }];
  let contextWindow: number | undefined;
  const from = { time: 10, calls: 0 };
  for (const [index, move] of moves.entries()) {
    switch (move.type) {
      case "events":
        messages = [...messages, ...messagesOf(move.events, from)];
        break;
      case "output":
        messages = [...messages, ...bigOutput(move.lines, index, from)];
        break;
      case "compact":
        messages = compacted(messages, move.keep, from, move.keep % 2 === 0);
        break;
      case "branch":
        messages = branched(messages, move.keep, from);
        break;
      case "reopen":
        session = await opened.reopen();
        break;
      case "prompt":
        prompts["host"] = `You help. ${move.text}`;
        await session.recordSystemPrompt("host", prompts["host"]);
        break;
      case "window":
        contextWindow = move.tokens;
        break;
      case "read":
      case "pin":
      case "write":
      case "deactivate":
        await touch(session, opened, move, index);
        break;
    }
    await session.ingest(readList(messages, plainCodec));
    const view = await session.nextView(
      contextWindow === undefined ? {} : { contextWindow, reserve: 0 },
    );
    calls.set(view.call, { messages: JSON.stringify(view.messages), prompts: { ...prompts } });
  }
  return { opened, calls };
}

async function touch(
  session: ContextSession,
  { files }: TestSession,
  move: Extract<ViewMove, { readonly file: number }>,
  index: number,
): Promise<void> {
  const path = pathOf(move.file);
  switch (move.type) {
    case "read":
      await session.read({ path });
      break;
    case "pin":
      await session.pin(path);
      break;
    case "deactivate":
      await session.deactivate(path);
      break;
    case "write":
      files.set(path, textOf(move.file, index + 1));
      await session.recordWrite(path);
      break;
  }
}

function pathOf(one: number): string {
  return `/work/file-${one}.ts`;
}

function textOf(one: number, edit: number): string {
  const lines = Array.from({ length: 60 }, (_, line) => `line ${line} of file ${one}`);
  return `${lines.with(edit % 60, `edited ${edit}`).join("\n")}\n`;
}

function bigOutput(
  lines: number,
  index: number,
  from: { time: number; calls: number },
): readonly Message[] {
  const output = Array.from({ length: lines }, (_, line) => `${index}: output ${line}\n`).join("");
  return messagesOf(
    [
      {
        type: "assistant",
        text: "next",
        thinking: "",
        stopReason: "toolUse",
        calls: [
          {
            tool: index % 3 === 0 ? "read" : "bash",
            args: { command: `run ${index}` },
            output,
            image: false,
            isError: index % 5 === 0,
            isLost: false,
            reusesId: false,
          },
        ],
      },
    ],
    from,
  );
}
