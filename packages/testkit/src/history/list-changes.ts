import type { ContextSession, HostSignals, ViewMessage } from "@self-context-manager/core";
import type { MessageCodec } from "@self-context-manager/core/host";
import assert from "node:assert/strict";
import * as fc from "fast-check";

import { memoryFolder } from "../harness/scripted/memory-folder.ts";
import { scriptedMessage } from "../harness/scripted/scripted-codec.ts";
import type { ScriptedContent, ScriptedMessage } from "../harness/scripted/scripted-message.ts";
import { sequenceFaults } from "../layout/sequence-faults.ts";
import type { CreatePlace, StorePlace } from "../object-store/store-place.ts";
import { testScale } from "../scale.ts";
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

export interface ListChanges {
  readonly createPlace: CreatePlace;
  readonly openSession: OpenTriedSession;
  readonly codec: MessageCodec<ScriptedMessage>;
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
export async function checkListChanges(changes: ListChanges): Promise<void> {
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

async function play(
  place: StorePlace,
  { codec, openSession }: Pick<ListChanges, "codec" | "openSession">,
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
    const host = listHost(await open(), open, codec);
    for (const round of some) await host.play(round);
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

/** A host that keeps its list by itself. Its tool call ids count from 0 in each run. */
function listHost(
  opened: ContextSession,
  open: () => Promise<ContextSession>,
  codec: MessageCodec<ScriptedMessage>,
): { play(round: ListRound): Promise<void> } {
  let session = opened;
  let list: readonly ScriptedMessage[] = [];
  let made = 0;
  let signals: HostSignals = {};

  function stamped(content: ScriptedContent): ScriptedMessage {
    made += 1;
    return { id: `m${made}`, at: made * 1000, ...content };
  }

  function add(content: ScriptedContent): void {
    list = [...list, stamped(content)];
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
        const prompts = list.filter(({ kind }) => kind === "human");
        const at = list.indexOf(prompts[one.prompt % prompts.length] as ScriptedMessage);
        if (at === -1) return;
        list = list.slice(0, at);
        signals = one.isReported ? { rewound: true } : {};
        break;
      }
      case "edits":
        if (list.length > 0) list = [stamped(said(one.words)), ...list.slice(1)];
        break;
      case "inserts":
        list = [stamped(said(one.words)), ...list];
        break;
      case "is-compacted": {
        const kept = list.findLastIndex(({ kind }) => kind === "human");
        if (kept <= 0) return;
        list = [stamped({ kind: "summary", text: `summary ${made}` }), ...list.slice(kept)];
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
    const { messages } = await session.ingestAndView(list, codec, signals);
    signals = {};
    checkEnd(messages, list.slice(list.findLastIndex(({ kind }) => kind === "human")));
  }

  async function retry(isSeen: boolean): Promise<void> {
    const before = list;
    add({ kind: "model", text: "", calls: [], failed: true });
    if (isSeen) await session.ingest(list, codec);
    list = before;
    await check();
  }

  return {
    async play({ change: one, prompt, calls, answer }) {
      await apply(one);
      add(said(prompt));
      await check();
      if (one.type === "repeats") await check();
      if (one.type === "retries") await retry(one.isSeen);
      for (const [index, output] of calls.entries()) {
        const id = `call_${index}`;
        const call = { id, name: "show", arguments: { path: "a.txt" } };
        add({ kind: "model", text: "", calls: [call], failed: false });
        const text = `${output} of ${made}`;
        const result = {
          kind: "output",
          callId: id,
          tool: "show",
          pictures: [],
          failed: false,
        } as const;
        add({ ...result, text });
        if (made % 3 === 0) await check();
        if (one.type === "reports-twice") add({ ...result, text: one.isEqual ? text : again });
        await check();
      }
      add({ kind: "model", text: answer, calls: [], failed: false });
    },
  };
}

function said(text: string): ScriptedContent {
  return { kind: "human", text, pictures: [] };
}

/** An output that a call is reported to have after it has had another. */
const again = "reported again";

/** Checks that a view is legal and ends with these messages. The outputs can be anywhere in it. */
function checkEnd(view: readonly ViewMessage[], newest: readonly ScriptedMessage[]): void {
  assert.deepEqual(sequenceFaults(view), [], "the view is legal");
  const isAgain = (one: ScriptedMessage, index: number): boolean =>
    one.kind === "output" &&
    index !== newest.findIndex((first) => first.kind === "output" && first.callId === one.callId);
  const once = newest.filter((one, index) => !isAgain(one, index));
  const shown = view.map(scriptedMessage);
  const from = shown.findLastIndex(({ text }) => text === newest[0]?.text);
  const end = shown
    .slice(Math.max(0, from))
    .filter(({ text, kind }) => kind !== "human" || text === newest[0]?.text);
  assert.deepEqual(
    linesOf(end),
    linesOf(once),
    "the view ends with the newest prompt and what followed",
  );
  const all = shown.map(({ text }) => text).join("\n");
  const lost = once.filter((one) => one.kind === "output" && !all.includes(one.text));
  assert.deepEqual(lost, [], "the view has the newest outputs");
  assert.ok(!all.includes(again), "a call has one result, the first one");
  const outputs = once.flatMap((one) => (one.kind === "output" ? [one.text] : []));
  const asUser = shown.filter(({ kind, text }) => kind === "human" && outputs.includes(text));
  assert.deepEqual(asUser, [], "no result is a message of the user");
}

function linesOf(messages: readonly ScriptedMessage[]): readonly string[] {
  return messages.map((one) => `${one.kind} ${one.kind === "output" ? one.callId : one.text}`);
}
