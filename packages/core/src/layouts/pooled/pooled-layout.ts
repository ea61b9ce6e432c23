import {
  defined,
  type LineRange,
  type ObjectId,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { stepWithoutThinking } from "../../chat/signed-thinking.ts";
import type { Step, Turn } from "../../chat/turn.ts";
import { calibratedEstimator } from "../../cost/calibrated-estimator.ts";
import { messageTokens } from "../../render/message-tokens.ts";
import { renderEntry } from "../../render/render-entry.ts";
import type { DescribedEntry } from "../../view/describe-entries.ts";
import type {
  ActiveObject,
  Layout,
  LayoutInput,
  LayoutOutput,
  ViewMessage,
} from "../../view/layout.ts";
import type { PoolEntry } from "../../view/pool-entry.ts";
import type { NoticeEntry } from "../../view/view-entry.ts";
import type { ViewRecord } from "../../view/view-record.ts";
import type { ViewSource } from "../../view/view-source.ts";
import { activeContents, activePool, besideChat, isReplaced } from "./active-pool.ts";
import { chatPool } from "./chat-pool.ts";
import { type Activated, activatedInTurn } from "./activated-in-turn.ts";
import { withoutLeftOut } from "./without-left-out.ts";
import { shownByUser, type ShortTurn, shortTurns, withShortTurns } from "./left-parts.ts";
import { listRoom, metadataPool } from "./metadata-pool.ts";
import {
  continuedLines,
  hasLines,
  lineFor,
  type PoolLine,
  type PoolLines,
  readName,
} from "./pool-lines.ts";

/**
 * The layout in the order of the specification: metadata pool, chat with reference lines instead of outputs, active
 * content, and at the end the line of active and pinned objects (decision D44). Of the last view it keeps the lines of
 * the metadata pool, which never change; a changed object gets a new line at the end of them. The host sends the system
 * prompt by its own channel.
 */
export const pooledLayout: Layout = {
  name: "pooled",
  followsFiles: true,
  render(given, last) {
    const notices = noticesOf(given);
    const input = shownInput(withoutRoomFor(given, notices));
    const before =
      last?.layout === "pooled" && last.workspace === input.workspace ? memoryOf(last) : undefined;
    const pools = continuedLines(input, before?.pool);
    const chosen = chosenBefore(input, last, before);
    const short = shortTurns(input);
    const rendered = renderPools(input, pools.lines, { ...chosen, short });
    return {
      messages: [...rendered.messages, ...notices.map(({ message }) => message)],
      tokens: {
        ...rendered.tokens,
        metadata: rendered.tokens.metadata + sum(notices),
      },
      shown: rendered.shown,
      record: {
        ...recordOf(input, pools, short, { ...rendered.chosen, activated: chosen.activated }),
        entries: notices.map(({ entry }) => entry),
      },
    } satisfies LayoutOutput;
  },
  rebuild(record, source): readonly ViewMessage[] {
    const memory = memoryOf(record);
    const { pool, unlisted = 0, first_turn: firstTurn, short_turns: short = [] } = memory;
    const lines = pool.map((name) => lineFor(entryNamed(source, name), record.workspace));
    const added = record.entries.map((entry) => renderEntry(entry, source));
    const input = shownInput(inputOf(record, source));
    const chosen = { unlisted, firstTurn, activated: activatedOf(memory), short };
    return [...renderPools(input, lines, chosen).messages, ...added];
  },
  describe: describePools,
  without: withoutVersions,
  needs: (record, _active, isLatest = () => false) => {
    const { pool } = memoryOf(record);
    if (record.layout !== "pooled" || hasLines(pool)) return [];
    return pool.filter((name) => {
      const { handle, version } = readName(name);
      return !isLatest(handle, version);
    });
  },
};

interface Notice {
  readonly entry: NoticeEntry;
  readonly message: ViewMessage;
}

/** The part of the budget that notices may have. */
const noticeShare = 0.1;

/** Returns the lines that only this view shows, at its end, as far as they have room. */
function noticesOf({ notes = [], estimator, budget }: LayoutInput): readonly Notice[] {
  const notices = notes.map((text): Notice => {
    const message: ViewMessage = { role: "user", content: [{ type: "text", text }] };
    const tokens = Math.ceil(messageTokens(message, estimator));
    return { entry: { type: "notice", text, tokens }, message };
  });
  return budget === undefined || sum(notices) <= budget * noticeShare ? notices : [];
}

function sum(notices: readonly Notice[]): number {
  return notices.reduce((tokens, { entry }) => tokens + entry.tokens, 0);
}

function withoutRoomFor(input: LayoutInput, notices: readonly Notice[]): LayoutInput {
  const { budget } = input;
  return budget === undefined || notices.length === 0
    ? input
    : { ...input, budget: budget - sum(notices) };
}

/** Returns the input without the messages and the thinking that are not shown. */
function shownInput(all: LayoutInput): LayoutInput {
  const given = withoutLeftOut(all);
  return given.thinking === "bound" ? withoutThinking(given) : given;
}

/** The data from which the pools continue. */
interface Chosen {
  /** The number of lines that are not listed. */
  readonly unlisted: number;
  /** The first turn that may be shown, from 1; undefined if all may. */
  readonly firstTurn: number | undefined;
  readonly activated: Activated;
}

/** Factor by which the budget must grow before turns that had to leave the view return without much room. */
const moreRoom = 1.5;

/** Returns the data that the next view continues from. */
function chosenBefore(
  input: LayoutInput,
  last: ViewRecord | undefined,
  before: PooledMemory | undefined,
): Chosen {
  if (last === undefined || before === undefined)
    return { unlisted: 0, firstTurn: undefined, activated: activatedInTurn(input, undefined) };
  const { active, first_turn: firstTurn, unlisted = 0 } = before;
  const { turns, steps } = last;
  const { budget = Number.POSITIVE_INFINITY } = input;
  const hasMoreRoom = budget >= (before.budget ?? 0) * moreRoom;
  return {
    unlisted,
    firstTurn: hasMoreRoom ? undefined : firstTurn,
    activated: activatedInTurn(input, { active, turns, steps, ...activatedOf(before) }),
  };
}

interface RenderedPools extends Pick<LayoutOutput, "messages" | "tokens" | "shown"> {
  readonly chosen: Pick<Chosen, "unlisted" | "firstTurn">;
}

/** Renders all pools. */
function renderPools(
  given: LayoutInput,
  lines: readonly PoolLine[],
  { unlisted, firstTurn, activated, short }: Chosen & { readonly short: readonly ShortTurn[] },
): RenderedPools {
  const contents = activeContents(given, activated, shownByUser(given, short));
  const input = withShortTurns(given, short);
  const list = listRoom(lines, input);
  const chat = chatPool(input, { ...besideChat(contents, input, list), firstTurn });
  const active = activePool(input, contents, chat, list);
  const pool = metadataPool(lines, unlisted, input, chat.tokens + active.tokens);
  return {
    messages: [...pool.messages, ...chat.messages, ...active.messages],
    tokens: { metadata: pool.tokens, chat: chat.tokens, active: active.tokens },
    shown: active.shown,
    chosen: { unlisted: pool.unlisted, firstTurn: chat.firstTurn },
  };
}

/** The recorded pools, from which the layout builds everything else again. */
type PooledMemory = {
  /** `handle@version` of each line of the metadata pool, in order. The last line of a handle is its current one. */
  readonly pool: readonly string[];
  /** `handle@version` of the objects that have a newer version, which would have the same line. */
  readonly newer?: readonly string[];
  /** The number of lines at the beginning that the budget did not allow to list. */
  readonly unlisted?: number;
  /** The first turn that is shown, from 1; undefined if no turn had to leave. */
  readonly first_turn?: number;
  /** The handles of the objects that were just activated. */
  readonly just_activated?: readonly string[];
  /** The handles of the objects that were activated earlier in the same turn. */
  readonly activated_in_turn?: readonly string[];
  /** The long parts of user messages that have left the chat: texts that it shows by their ends, and files. */
  readonly short_turns?: readonly ShortTurn[];
  readonly active: readonly ActiveRow[];
  readonly factor: number;
  /** The calibration's factors of other classes of text than prose and code. */
  readonly factors?: Readonly<Record<string, number>>;
  /** The model whose rule counts files, as `provider/id`. */
  readonly model?: string;
  readonly budget?: number;
  /** The messages that are left out, as rows of `LeftOut`. */
  readonly left_out?: readonly string[];
  /** Whether signed thinking is not shown. */
  readonly no_thinking?: true;
};

function memoryOf(record: ViewRecord): PooledMemory {
  return record.memory as PooledMemory;
}

function activatedOf({
  just_activated: just = [],
  activated_in_turn: earlier = [],
}: PooledMemory): Activated {
  return { just, earlier };
}

type ActiveRow = {
  readonly of: string;
  readonly version: number;
  /** The newest version, if a line reports it instead of the content. */
  readonly newest?: number;
  readonly ranges?: readonly LineRange[];
  readonly pinned?: true;
};

/** Describes the pools of a record, because the layout has no entries for single messages. */
function describePools(record: ViewRecord): readonly DescribedEntry[] {
  const {
    pool,
    newer = [],
    active,
    no_thinking: noThinking,
    short_turns: short,
  } = memoryOf(record);
  const ends =
    short === undefined
      ? ""
      : ", long texts of the user by their ends, and files that have left by a line";
  return [
    ...pool.map((name) => known(name, "its line; in the chat its reference line")),
    ...newer.map((name) =>
      known(name, "the line of the version before; in the chat its reference line"),
    ),
    {
      what: "chat",
      place: `${record.turns} turns, ${record.steps} steps of the last`,
      versions: [],
      how: `messages unchanged${noThinking === true ? " except for their thinking" : ""}${ends}, results as reference lines`,
    },
    ...active.map(({ of, version, newest, ranges, pinned }) => ({
      what: pinned === true ? "pinned" : "active",
      place: "",
      versions: [version, ...(newest === undefined ? [] : [newest])].map((one) => ({
        handle: of,
        version: one,
      })),
      how: newest === undefined ? (ranges === undefined ? "whole" : partText(ranges)) : "a line",
    })),
  ];
}

function known(name: string, how: string): DescribedEntry {
  return { what: "known", place: "", versions: [readName(name)], how };
}

function partText(ranges: readonly LineRange[]): string {
  return `lines ${ranges.map(({ from, to }) => `${from}-${to}`).join(", ")}`;
}

/** Returns a record without lost versions, each `handle@version`, in both pools. */
function withoutVersions(record: ViewRecord, lost: ReadonlySet<string>): ViewRecord {
  const memory = memoryOf(record);
  const isThere = (name: string): boolean => !lost.has(name);
  const pool = memory.pool.filter(isThere);
  const newer = (memory.newer ?? []).filter(isThere);
  const active = memory.active.filter(({ of, version, newest = version }) =>
    [version, newest].every((one) => isThere(`${of}@${one}`)),
  );
  return { ...record, memory: { ...memory, pool, newer, active } };
}

function recordOf(
  input: LayoutInput,
  { names, newer }: PoolLines,
  short: readonly ShortTurn[],
  { unlisted, firstTurn, activated: { just, earlier } }: Chosen,
): ViewRecord {
  const memory: PooledMemory = {
    pool: names,
    ...(newer.length === 0 ? {} : { newer }),
    ...(unlisted === 0 ? {} : { unlisted }),
    ...defined({ first_turn: firstTurn }),
    ...(just.length === 0 ? {} : { just_activated: just }),
    ...(earlier.length === 0 ? {} : { activated_in_turn: earlier }),
    ...(short.length === 0 ? {} : { short_turns: short }),
    active: input.active.map((object) => ({
      of: object.entry.handle,
      version: object.stored.version,
      ...(isReplaced(object) ? { newest: object.entry.stored.version } : {}),
      ...defined({ ranges: object.ranges }),
      ...(object.isPinned ? { pinned: true as const } : {}),
    })),
    factor: input.calibration?.factor ?? 1,
    ...defined({
      factors: input.calibration?.factors,
      model: input.estimator.model,
      budget: input.budget,
      left_out: input.leftOut,
    }),
    ...(input.thinking === "bound" ? { no_thinking: true as const } : {}),
  };
  return {
    layout: "pooled",
    entries: [],
    turns: input.turns.length,
    steps: input.turns.at(-1)?.steps.length ?? 0,
    workspace: input.workspace,
    memory,
  };
}

function inputOf(record: ViewRecord, source: ViewSource): LayoutInput {
  const memory = memoryOf(record);
  const pool = new Map<ObjectId, PoolEntry>();
  for (const name of [...memory.pool, ...(memory.newer ?? [])]) {
    const entry = entryNamed(source, name);
    pool.set(entry.id, entry);
  }
  const active = memory.active.map(({ of, version, newest, ranges, pinned }): ActiveObject => {
    const entry = entryOf(source, of, newest ?? version);
    const stored = source.object(of, version)?.stored;
    const { content } = stored?.body ?? {};
    if (stored === undefined || content === undefined)
      throw new RangeError(`the content of ${of} version ${version} is not loaded`);
    return {
      entry,
      stored: { ...stored, body: { ...stored.body, content } },
      ...defined({ ranges }),
      isPinned: pinned === true,
    };
  });
  const { factor, factors } = memory;
  const calibration = { factor, overhead: 0, ...defined({ factors }) };
  return {
    turns: source.turns,
    ...defined({ compaction: source.compaction }),
    chatHandle: source.chatHandle,
    pool,
    poolRevision: 0,
    active,
    workspace: record.workspace,
    estimator: calibratedEstimator(calibration, memory.model),
    calibration,
    ...defined({ leftOut: memory.left_out, budget: memory.budget }),
    ...(memory.no_thinking === true ? { thinking: "bound" } : {}),
  };
}

/**
 * Returns the input with answers without signed thinking. This layout changes the messages before every answer with
 * each call, so a model that binds its thinking would accept none of it.
 */
function withoutThinking(input: LayoutInput): LayoutInput {
  return { ...input, turns: input.turns.map(turnWithoutThinking) };
}

/** Renderings are kept by turn and step, so each turn is changed only once. */
const changedTurns = new WeakMap<Turn, Turn>();

const changedSteps = new WeakMap<Step, Step>();

function turnWithoutThinking(turn: Turn): Turn {
  const known = changedTurns.get(turn);
  if (known !== undefined) return known;
  const steps = turn.steps.map((step) => {
    const changed = changedSteps.get(step) ?? stepWithoutThinking(step);
    changedSteps.set(step, changed);
    return changed;
  });
  const changed = { ...turn, steps };
  changedTurns.set(turn, changed);
  return changed;
}

function entryNamed(source: ViewSource, name: string): PoolEntry {
  const { handle, version } = readName(name);
  return entryOf(source, handle, version);
}

function entryOf(source: ViewSource, handle: string, version: number): PoolEntry {
  const found = source.object(handle, version);
  if (found === undefined)
    throw new RangeError(
      `${handle} version ${version}, which the view shows, cannot be read from the store`,
    );
  const { id } = found;
  return { id, handle, stored: found.stored as StoredMetadata, row: { id, handle } };
}
