import {
  type AssistantMessage,
  type ContextSession,
  type HostSignals,
  textOf,
  type ViewMessage,
  readList,
} from "@self-context-manager/core";
import type { MessageCodec } from "@self-context-manager/core/host";
import assert from "node:assert/strict";
import * as fc from "fast-check";

import type { Encode, MessageStamp } from "../codec/codec-subject.ts";
import { memoryFolder } from "../harness/scripted/memory-folder.ts";
import { sequenceFaults } from "../layout/sequence-faults.ts";
import { type CreatePlace, type StorePlace, testScale } from "@self-context-manager/store-contract";
import type { OpenTriedSession } from "./history-session.ts";

/** What happens to the host's list before the next prompt. */
export type ListChange =
  | { readonly type: "none" }
  /** The list loses its oldest messages, except this many. */
  | { readonly type: "slides"; readonly keeps: number }
  /** The list begins again. */
  | { readonly type: "begins" }
  /** The user goes back to the point before a prompt. */
  | { readonly type: "goes-back"; readonly prompt: number; readonly isReported: boolean }
  /** The first message of the list is replaced by another, without a report. */
  | { readonly type: "edits"; readonly words: string }
  /** A message is inserted at the beginning of the list. */
  | { readonly type: "inserts"; readonly words: string }
  /** A summary replaces all messages before the newest prompt. */
  | { readonly type: "is-compacted" }
  /**
   * A text of the user, and perhaps an answer to it, replaces all messages but this many: the summary of a host that has no
   * summaries of its own kind.
   */
  | { readonly type: "is-summarised"; readonly keeps: number; readonly isAnswered: boolean }
  /** The session is opened again. */
  | { readonly type: "reopens" }
  /** The host asks for the view of the same list again. */
  | { readonly type: "repeats" }
  /** The first answer fails. The host shows it to the session or not, removes it and asks again. */
  | { readonly type: "retries"; readonly isSeen: boolean }
  /** Each result of the round is reported twice, the second time with the same output or with another. */
  | { readonly type: "reports-twice"; readonly isEqual: boolean };

/** One prompt of the user with what follows it. */
export interface ListRound {
  readonly change: ListChange;
  readonly prompt: string;
  /** The outputs of the calls, one in each step. */
  readonly calls: readonly string[];
  readonly answer: string;
}

/** How the messages of a host are made and read. */
export interface ListedMessages<Raw> {
  readonly codec: MessageCodec<Raw>;
  readonly encode: Encode<Raw>;
  /** Returns an answer that failed. Default: the host keeps no failed answer, and no round has one. */
  readonly failed?: (stamp: MessageStamp) => Raw;
  /** Returns a summary that replaces earlier messages. Default: the host makes none, and no round has one. */
  readonly summary?: (text: string, stamp: MessageStamp) => Raw;
}

export interface ListChanges<Raw> extends ListedMessages<Raw> {
  readonly createPlace: CreatePlace;
  readonly openSession: OpenTriedSession;
  readonly runs: number;
  /** Rounds that are tried before the random ones. They count in `runs`. */
  readonly examples?: readonly (readonly ListRound[])[];
}

const words = fc.constantFrom("go", "go on", "stop");

const change: fc.Arbitrary<ListChange> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: "none" as const }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("slides" as const), keeps: fc.nat(4) }) },
  fc.constant({ type: "begins" as const }),
  fc.record({
    type: fc.constant("goes-back" as const),
    prompt: fc.nat(5),
    isReported: fc.boolean(),
  }),
  fc.record({ type: fc.constant("edits" as const), words }),
  fc.record({ type: fc.constant("inserts" as const), words }),
  fc.constant({ type: "is-compacted" as const }),
  fc.record({
    type: fc.constant("is-summarised" as const),
    keeps: fc.nat(6),
    isAnswered: fc.boolean(),
  }),
  fc.constant({ type: "reopens" as const }),
  fc.constant({ type: "repeats" as const }),
  fc.record({ type: fc.constant("retries" as const), isSeen: fc.boolean() }),
  fc.record({ type: fc.constant("reports-twice" as const), isEqual: fc.boolean() }),
);

const rounds: fc.Arbitrary<readonly ListRound[]> = fc.array(
  fc.record({
    change,
    prompt: words,
    calls: fc.array(fc.constantFrom("A", "B"), { maxLength: 2 }),
    answer: fc.constantFrom("ok", "done"),
  }),
  { minLength: 1, maxLength: 8 },
);

/**
 * Runs random changes of a host's list in which the same words, answers and tool call ids occur again and again. Throws
 * if a request is not legal, or does not end with the host's newest prompt and all that followed it.
 */
export async function checkListChanges<Raw>(changes: ListChanges<Raw>): Promise<void> {
  const { runs, examples = [], createPlace, ...parts } = changes;
  await fc.assert(
    fc.asyncProperty(rounds, async (some) => {
      await using place = await createPlace();
      await play(place, parts, some);
    }),
    {
      numRuns: runs,
      seed: testScale.seed,
      endOnFailure: false,
      examples: examples.map((example) => [example]),
    },
  );
}

async function play<Raw>(
  place: StorePlace,
  { openSession, ...parts }: Omit<ListChanges<Raw>, "runs" | "examples" | "createPlace">,
  some: readonly ListRound[],
): Promise<void> {
  const store = await place.open({ clock: { now: () => 1_700_000_000_000 } });
  try {
    const files = memoryFolder();
    const open = async (): Promise<ContextSession> =>
      await openSession(
        { store, files, workspace: files.path },
        { harness: "scripted", sessionId: "list" },
      );
    const host = listHost(await open(), open, parts);
    for (const round of some) await host.play(round);
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

/** A message of the host's list. `content`: the message in core's form; undefined for a failed answer or a summary. */
interface Listed<Raw> {
  readonly raw: Raw;
  readonly content?: ViewMessage;
}

/** A host that keeps its list by itself. Its tool call ids count from 0 in each run. */
function listHost<Raw>(
  opened: ContextSession,
  open: () => Promise<ContextSession>,
  { codec, encode, failed, summary }: ListedMessages<Raw>,
): { play(round: ListRound): Promise<void> } {
  let session = opened;
  let list: readonly Listed<Raw>[] = [];
  let made = 0;
  let signals: HostSignals = {};
  /** The text with which the list begins since its last change. */
  let beginning: string | undefined;

  function stamp(): MessageStamp {
    made += 1;
    return { id: `m${made}`, at: made * 1000 };
  }

  function listed(given: ViewMessage): Listed<Raw> {
    const own = stamp();
    // As it would come from a host with times. A codec for a host without times ignores it.
    const content = given.role === "opaque" ? given : { ...given, timestamp: own.at };
    return { raw: encode(content, own), content };
  }

  function add(content: ViewMessage): void {
    list = [...list, listed(content)];
  }

  async function apply(one: ListChange): Promise<void> {
    switch (one.type) {
      case "slides":
        list = list.slice(list.length - Math.min(one.keeps, list.length));
        break;
      case "begins":
        list = [];
        break;
      case "goes-back": {
        const prompts = list.flatMap((message, index) => (isPrompt(message) ? [index] : []));
        const at = prompts[one.prompt % prompts.length];
        if (at === undefined) return;
        list = list.slice(0, at);
        signals = one.isReported ? { rewound: true } : {};
        break;
      }
      case "edits":
        if (list.length > 0) list = [listed(said(one.words)), ...list.slice(1)];
        break;
      case "inserts":
        list = [listed(said(one.words)), ...list];
        break;
      case "is-compacted": {
        const kept = list.findLastIndex(isPrompt);
        if (kept <= 0 || summary === undefined) return;
        list = [{ raw: summary(`summary ${made}`, stamp()) }, ...list.slice(kept)];
        break;
      }
      case "is-summarised": {
        const kept = list.slice(list.length - Math.min(one.keeps, list.length));
        const from = kept.findIndex(({ content }) => content?.role !== "toolResult");
        if (kept.length === list.length || codec.marksSummaries === true) return;
        beginning = `summary ${made}`;
        list = [
          listed(said(beginning)),
          ...(one.isAnswered ? [listed(answered([{ type: "text", text: "I know." }]))] : []),
          ...(from === -1 ? [] : kept.slice(from)),
        ];
        break;
      }
      case "reopens":
        session = await open();
        break;
      case "none":
      case "repeats":
      case "retries":
      case "reports-twice":
        break;
      default:
        one satisfies never;
    }
  }

  /** Checks the request for the present list. */
  async function check(): Promise<void> {
    const raws = list.map(({ raw }) => raw);
    const { messages } = await session.ingestAndView(readList(raws, codec), signals);
    signals = {};
    const newest = list.slice(list.findLastIndex(isPrompt));
    checkEnd(
      messages,
      newest.flatMap(({ content }) => content ?? []),
    );
    const texts = messages.filter(({ role }) => role === "user").map(textIn);
    const shown = texts.filter((text) => !text.startsWith("Known objects:"));
    if (beginning !== undefined) assert.equal(shown[0], beginning, "the view begins as the list");
  }

  async function retry(isSeen: boolean): Promise<void> {
    if (failed === undefined) return;
    const answer = failed(stamp());
    if (isSeen) await session.ingest(readList([...list.map(({ raw }) => raw), answer], codec));
    await check();
  }

  return {
    async play({ change: one, prompt, calls, answer }) {
      beginning = undefined;
      await apply(one);
      add(said(prompt));
      await check();
      if (one.type === "repeats") await check();
      if (one.type === "retries") await retry(one.isSeen);
      for (const [index, output] of calls.entries()) {
        const id = `call_${index}`;
        add(answered([{ type: "toolCall", id, name: "show", arguments: { path: "a.txt" } }]));
        const text = `${output} of ${made}`;
        add(resultOf(id, text));
        if (made % 3 === 0) await check();
        if (one.type === "reports-twice") add(resultOf(id, one.isEqual ? text : again));
        await check();
      }
      add(answered([{ type: "text", text: answer }]));
    },
  };
}

function isPrompt<Raw>({ content }: Listed<Raw>): boolean {
  return content?.role === "user";
}

function said(content: string): ViewMessage {
  return { role: "user", content };
}

function answered(content: AssistantMessage["content"]): ViewMessage {
  return { role: "assistant", content, meta: {} };
}

function resultOf(toolCallId: string, text: string): ViewMessage {
  const content = [{ type: "text", text }];
  return { role: "toolResult", toolCallId, toolName: "show", content, isError: false };
}

/** An output that a call is reported to have after it has had another. */
const again = "reported again";

/** Checks that a view is legal and ends with these messages. The outputs can be anywhere in it. */
function checkEnd(view: readonly ViewMessage[], newest: readonly ViewMessage[]): void {
  assert.deepEqual(sequenceFaults(view), [], "the view is legal");
  const isAgain = (one: ViewMessage, index: number): boolean =>
    one.role === "toolResult" &&
    index !== newest.findIndex((first) => isResultOf(first, one.toolCallId));
  const once = newest.filter((one, index) => !isAgain(one, index));
  const [prompt] = newest.map(textIn);
  const from = view.findLastIndex((one) => textIn(one) === prompt);
  const end = view
    .slice(Math.max(0, from))
    .filter((one) => one.role !== "user" || textIn(one) === prompt);
  assert.deepEqual(
    linesOf(end),
    linesOf(once),
    "the view ends with the newest prompt and what followed",
  );
  const all = view.map(textIn).join("\n");
  const outputs = once.flatMap((one) => (one.role === "toolResult" ? [textIn(one)] : []));
  const lost = outputs.filter((text) => !all.includes(text));
  assert.deepEqual(lost, [], "the view has the newest outputs");
  assert.ok(!all.includes(again), "a call has one result, the first one");
  const asUser = view.filter((one) => one.role === "user" && outputs.includes(textIn(one)));
  assert.deepEqual(asUser, [], "no result is a message of the user");
}

function isResultOf(message: ViewMessage, callId: string): boolean {
  return message.role === "toolResult" && message.toolCallId === callId;
}

function textIn(message: ViewMessage): string {
  return message.role === "opaque" ? "" : textOf(message.content);
}

function linesOf(messages: readonly ViewMessage[]): readonly string[] {
  return messages.map((one) => `${one.role} ${one.role === "toolResult" ? "" : textIn(one)}`);
}
