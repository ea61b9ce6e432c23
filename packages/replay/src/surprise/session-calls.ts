import {
  type HostSession,
  type ObjectStore,
  openContextSession,
  type ViewMessage,
} from "@self-context-manager/core";
import { openRehearsal } from "@self-context-manager/core/rehearsal";
import { defined, madeOnce } from "@self-context-manager/objects";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { classifyCall } from "../corpus/classify-call.ts";
import { type Segment, segmentsOf } from "../corpus/segments.ts";
import type { CallView } from "../measure/call-view.ts";
import { type Evidence, evidenceOf, missingGrams } from "../measure/evidence.ts";
import { isSharp } from "../measure/sharp-evidence.ts";
import { countTokens } from "../measure/tokens.ts";
import type {
  RecordedAssistant,
  RecordedMessage,
  RecordedSession,
} from "../read/recorded-session.ts";
import { callClock } from "../strategies/call-clock.ts";
import { fullRun, replayDependencies } from "../strategies/full-run.ts";
import { messageCounter } from "../strategies/message-counter.ts";
import { firstPrices, viewOptions } from "../strategies/replay-session.ts";
import { type SegmentSource, sessionRun } from "../strategies/session-run.ts";
import {
  defaultParts,
  strategies,
  type Strategy,
  type StrategyName,
} from "../strategies/strategies.ts";
import { answerLine, answerText, messageText } from "./plain-text.ts";
import type { SurpriseView } from "./surprise-views.ts";

/** What an answer quotes, compared with a view: sharp evidence that is gone, other text that is gone, text in view, nothing. */
export type Quoting = "gone-sharp" | "gone" | "in-view" | "nothing";

/** A view of a call as text, and what it lacks. */
export interface CallText {
  /** The texts of its messages. Views of one session share them, so that many calls need little memory. */
  readonly messages: readonly string[];
  /** Tokens of the plain view's messages that this view does not have; negative if it is longer. */
  readonly left: number;
  readonly quoting: Quoting;
}

/** A recorded call with its views. */
export interface SurpriseCall {
  readonly session: string;
  /** The number of the segment in the session, and of the call in the segment, from 0. */
  readonly segment: number;
  readonly call: number;
  /** The kind of the answer's first tool call, or `text`. */
  readonly kind: string;
  readonly answer: string;
  /** The tokens of the plain view's messages, as the replay counts them. */
  readonly plainTokens: number;
  readonly plain: CallText;
  readonly views: ReadonlyMap<SurpriseView, CallText>;
}

/** The calls of a session that can be measured, and how many cannot. */
export interface SessionCalls {
  readonly calls: readonly SurpriseCall[];
  /** Calls with an answer. */
  readonly total: number;
  /** Calls whose plain view is longer than the limit. */
  readonly tooLong: number;
  /** Calls in which every view is equal to the plain one. */
  readonly unchanged: number;
}

/** The views to make, and the sizes of the plain views of interest, in tokens. */
export interface SessionCallsOptions {
  readonly views: readonly SurpriseView[];
  readonly least: number;
  readonly most: number;
}

/** The text of a prompt: the messages, and the line after which the answer begins. */
export function promptText({ messages }: Pick<CallText, "messages">): string {
  return `${messages.join("")}${answerLine}`;
}

/** Makes the views of a session's calls. Rows after the last call of interest are not replayed. */
export async function sessionCalls(
  session: RecordedSession,
  options: SessionCallsOptions,
): Promise<SessionCalls> {
  const found = { calls: [] as SurpriseCall[], total: 0, tooLong: 0, unchanged: 0 };
  const folder = await mkdtemp(join(tmpdir(), "scm-surprise-"));
  try {
    for (const [index, segment] of segmentsOf(session).entries()) {
      const wanted = wantedCalls(segment, options);
      found.total += wanted.total;
      found.tooLong += wanted.tooLong;
      if (wanted.calls.size === 0) continue;
      await using store = await openSqliteStore({ path: join(folder, `${index}.sqlite`) });
      const place = { session: session.name, segment: index };
      const calls = await segmentCalls(store, place, wanted, options.views);
      const changed = calls.filter((one) => isChanged(one));
      found.unchanged += calls.length - changed.length;
      found.calls.push(...changed);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return found;
}

function isChanged({ plain, views }: SurpriseCall): boolean {
  return [...views.values()].some((view) => !isSameText(plain, view));
}

/** Whether two views are the same text. */
function isSameText(one: CallText, other: CallText): boolean {
  const { length } = one.messages;
  return (
    length === other.messages.length &&
    one.messages.every((text, at) => text === other.messages[at])
  );
}

interface WantedCalls {
  /** The rows up to the last wanted call and its results. */
  readonly rows: readonly RecordedMessage[];
  /** The wanted answers by the number of their call, with the tokens before them. */
  readonly calls: ReadonlyMap<
    number,
    { readonly answer: RecordedAssistant; readonly tokens: number }
  >;
  readonly total: number;
  readonly tooLong: number;
}

function wantedCalls({ rows }: Segment, { least, most }: SessionCallsOptions): WantedCalls {
  const calls = new Map<number, { readonly answer: RecordedAssistant; readonly tokens: number }>();
  let tokens = 0;
  let call = -1;
  let total = 0;
  let tooLong = 0;
  let end = 0;
  for (const [index, row] of rows.entries()) {
    if (row.role === "assistant") {
      call += 1;
      // The first call of a segment has nothing that could have left.
      if (call > 0 && answerText(row) !== "") {
        total += 1;
        if (tokens > most) tooLong += 1;
        else if (tokens >= least) {
          calls.set(call, { answer: row, tokens });
          end = index + 1;
        }
      }
    }
    if (row.role === "toolResult" && end === index) end = index + 1;
    if (row.role !== "system") tokens += countTokens(row);
  }
  return { rows: rows.slice(0, end), calls, total, tooLong };
}

async function segmentCalls(
  store: ObjectStore,
  place: Pick<SurpriseCall, "session" | "segment">,
  { rows, calls }: WantedCalls,
  names: readonly SurpriseView[],
): Promise<readonly SurpriseCall[]> {
  const dependencies = replayDependencies(store, defaultParts());
  const host: HostSession = {
    harness: "replay",
    sessionId: `${place.session}#${place.segment}`,
  };
  const running = await openContextSession(dependencies, host);
  const options = viewOptions(firstPrices());
  for await (const { view } of fullRun(running, rows, options)) void view;
  const source: SegmentSource = {
    stored: await openRehearsal(dependencies, host),
    evidence: evidenceOf(rows),
    counter: messageCounter(),
    times: rows.flatMap((row) => (row.role === "assistant" ? [row.timestamp] : [])),
  };
  const last = Math.max(...calls.keys());
  const texts = new Map<string, string>();
  const viewsOf = async (name: StrategyName): Promise<ReadonlyMap<number, SeenView>> => {
    const seen = new Map<number, SeenView>();
    const run = textRun(dependencies, strategyOf(name), source, rows);
    for (let call = 0; call <= last; call += 1) {
      const view = await run();
      if (calls.has(call)) seen.set(call, seenView(view, source.evidence, call, texts));
    }
    return seen;
  };
  const plain = await viewsOf("append-only");
  const others = new Map<SurpriseView, ReadonlyMap<number, SeenView>>();
  for (const name of names) others.set(name, await viewsOf(name));
  return [...calls].flatMap(([call, { answer }]) => {
    const base = plain.get(call);
    if (base === undefined) return [];
    const text = ({ messages, tokens, quoting }: SeenView): CallText => ({
      messages,
      left: base.tokens - tokens,
      quoting,
    });
    const views = [...others].flatMap(([name, seen]) => {
      const view = seen.get(call);
      return view === undefined ? [] : [[name, text(view)] as const];
    });
    return [
      {
        ...place,
        call,
        kind: kindOf(answer),
        answer: answerText(answer),
        plainTokens: base.tokens,
        plain: text(base),
        views: new Map(views),
      },
    ];
  });
}

function strategyOf(name: StrategyName): Strategy {
  const found = strategies.find((one) => one.name === name);
  if (found === undefined) throw new RangeError(`there is no strategy ${name}`);
  return found;
}

interface MadeView {
  readonly view: CallView;
  readonly messages: readonly ViewMessage[];
}

/** Runs a strategy call by call, with the messages of each view. */
function textRun(
  dependencies: ReturnType<typeof replayDependencies>,
  strategy: Strategy,
  source: SegmentSource,
  rows: readonly RecordedMessage[],
): () => Promise<MadeView> {
  const { hooks, ...parts } = strategy.parts(source, rows);
  const clock = callClock(source.times);
  const rehearsal = clock.following(source.stored.begin({ ...dependencies, ...parts, clock }));
  let messages: readonly ViewMessage[] = [];
  const watched: typeof rehearsal = {
    ...rehearsal,
    async view(options) {
      const output = await rehearsal.view(options);
      ({ messages } = output);
      return output;
    },
  };
  const run = sessionRun(source, watched, viewOptions(firstPrices()), defined({ hooks }));
  return async () => {
    const view = await run.view();
    return { view, messages };
  };
}

interface SeenView {
  readonly messages: readonly string[];
  readonly tokens: number;
  readonly quoting: Quoting;
}

function seenView(
  { view, messages }: MadeView,
  evidence: Evidence,
  call: number,
  texts: Map<string, string>,
): SeenView {
  // The first part is the system prompt with the tools, which is the same in every view.
  const tokens = view.parts.slice(1).reduce((sum, part) => sum + part.tokens, 0);
  return {
    messages: messages.map((message) => {
      const text = messageText(message);
      return madeOnce(texts, text, () => text);
    }),
    tokens,
    quoting: quotingOf(evidence, call, view),
  };
}

function quotingOf(evidence: Evidence, call: number, { shown }: CallView): Quoting {
  const grams = evidence.uses.get(call);
  if (grams === undefined) return "nothing";
  const missing = missingGrams(grams, shown);
  if (missing.length === 0) return "in-view";
  return isSharp(missing) ? "gone-sharp" : "gone";
}

function kindOf({ content }: RecordedAssistant): string {
  for (const block of content)
    if (block.type === "toolCall") return classifyCall(block.name, block.arguments).kind;
  return "text";
}
