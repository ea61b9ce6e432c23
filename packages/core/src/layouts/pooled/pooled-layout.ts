import type { LineRange, ObjectId, StoredMetadata } from "@self-context-manager/objects";
import { stepWithoutThinking } from "../../chat/signed-thinking.ts";
import type { Step, Turn } from "../../chat/turn.ts";
import { calibratedEstimator } from "../../cost/calibrated-estimator.ts";
import { renderEntry } from "../../render/render-entry.ts";
import type { DescribedEntry, VersionName } from "../../view/describe-entries.ts";
import type {
  ActiveObject,
  Layout,
  LayoutInput,
  LayoutOutput,
  ViewMessage,
} from "../../view/layout.ts";
import type { PoolEntry } from "../../view/pool-entry.ts";
import type { ViewRecord } from "../../view/view-record.ts";
import type { ViewSource } from "../../view/view-source.ts";
import { activePool } from "./active-pool.ts";
import { chatPool } from "./chat-pool.ts";
import { withoutLeftOut } from "./left-out.ts";
import { listRoom, metadataPool } from "./metadata-pool.ts";

/**
 * The layout in the order of the specification: metadata pool, chat with reference lines instead of outputs, active
 * content, and at the end the line of active and pinned objects (decision D44). It builds the whole view again for each
 * call. The host sends the system prompt by its own channel.
 */
export const pooledLayout: Layout = {
  name: "pooled",
  followsFiles: true,
  render(all) {
    const given = withoutLeftOut(all);
    const input = given.thinking === "bound" ? withoutThinking(given) : given;
    const chat = chatPool(input);
    const active = activePool(input, chat.tokens + listRoom(input));
    const pool = metadataPool(input, chat.tokens + active.tokens);
    const messages = [...pool.messages, ...chat.messages, ...active.messages];
    return {
      messages,
      tokens: { metadata: pool.tokens, chat: chat.tokens, active: active.tokens },
      shown: active.shown,
      record: recordOf(input),
    } satisfies LayoutOutput;
  },
  rebuild(record, source): readonly ViewMessage[] {
    const added = record.entries.map((entry) => renderEntry(entry, source));
    return [...pooledLayout.render(inputOf(record, source)).messages, ...added];
  },
  describe: describePools,
  without: withoutVersions,
};

/** The recorded pools, from which the layout builds everything else again. */
type PooledMemory = {
  /** `handle@version` of every known object, in order of joining. */
  readonly pool: readonly string[];
  readonly active: readonly ActiveRow[];
  readonly factor: number;
  /** The model whose rule counts files, as `provider/id`. */
  readonly model?: string;
  readonly budget?: number;
  /** The messages that are left out, as rows of `LeftOut`. */
  readonly left_out?: readonly string[];
  /** Whether signed thinking is not shown. */
  readonly no_thinking?: true;
};

type ActiveRow = {
  readonly of: string;
  readonly version: number;
  readonly ranges?: readonly LineRange[];
  readonly pinned?: true;
};

/** Describes the pools of a record, because the layout has no entries for single messages. */
function describePools(record: ViewRecord): readonly DescribedEntry[] {
  const { pool, active, no_thinking: noThinking } = record.memory as PooledMemory;
  return [
    ...pool.map((name) => ({
      what: "known",
      place: "",
      versions: [readName(name)],
      how: "its line; in the chat its reference line",
    })),
    {
      what: "chat",
      place: `${record.turns} turns, ${record.steps} steps of the last`,
      versions: [],
      how: `messages unchanged${noThinking === true ? " except for their thinking" : ""}, results as reference lines`,
    },
    ...active.map(({ of, version, ranges, pinned }) => ({
      what: pinned === true ? "pinned" : "active",
      place: "",
      versions: [{ handle: of, version }],
      how: ranges === undefined ? "whole" : partText(ranges),
    })),
  ];
}

function partText(ranges: readonly LineRange[]): string {
  return `lines ${ranges.map(({ from, to }) => `${from}-${to}`).join(", ")}`;
}

/** Returns a record without lost versions, each `handle@version`, in both pools. */
function withoutVersions(record: ViewRecord, lost: ReadonlySet<string>): ViewRecord {
  const memory = record.memory as PooledMemory;
  const pool = memory.pool.filter((name) => !lost.has(name));
  const active = memory.active.filter(({ of, version }) => !lost.has(`${of}@${version}`));
  return { ...record, memory: { ...memory, pool, active } };
}

function readName(name: string): VersionName {
  const at = name.lastIndexOf("@");
  return { handle: name.slice(0, at), version: Number(name.slice(at + 1)) };
}

function recordOf(input: LayoutInput): ViewRecord {
  const memory: PooledMemory = {
    pool: [...input.pool.values()].map(({ handle, stored }) => `${handle}@${stored.version}`),
    active: input.active.map(({ entry, stored, ranges, isPinned }) => ({
      of: entry.handle,
      version: stored.version,
      ...(ranges === undefined ? {} : { ranges }),
      ...(isPinned ? { pinned: true as const } : {}),
    })),
    factor: input.factor ?? 1,
    ...(input.estimator.model === undefined ? {} : { model: input.estimator.model }),
    ...(input.budget === undefined ? {} : { budget: input.budget }),
    ...(input.leftOut === undefined ? {} : { left_out: input.leftOut }),
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
  const memory = record.memory as PooledMemory;
  const pool = new Map<ObjectId, PoolEntry>();
  for (const name of memory.pool) {
    const { handle, version } = readName(name);
    const entry = entryOf(source, handle, version);
    pool.set(entry.id, entry);
  }
  const active = memory.active.map(({ of, version, ranges, pinned }): ActiveObject => {
    const entry = entryOf(source, of, version);
    const stored = source.object(of, version)?.stored;
    const { content } = stored?.body ?? {};
    if (stored === undefined || content === undefined)
      throw new RangeError(`the content of ${of} version ${version} is not loaded`);
    return {
      entry,
      stored: { ...stored, body: { ...stored.body, content } },
      ...(ranges === undefined ? {} : { ranges }),
      isPinned: pinned === true,
    };
  });
  return {
    turns: source.turns,
    ...(source.compaction === undefined ? {} : { compaction: source.compaction }),
    chatHandle: source.chatHandle,
    pool,
    poolRevision: 0,
    active,
    workspace: record.workspace,
    estimator: calibratedEstimator({ factor: memory.factor, overhead: 0 }, memory.model),
    factor: memory.factor,
    ...(memory.left_out === undefined ? {} : { leftOut: memory.left_out }),
    ...(memory.budget === undefined ? {} : { budget: memory.budget }),
    ...(memory.no_thinking === true ? { thinking: "bound" } : {}),
  };
}

/**
 * Returns the input with answers without signed thinking. This layout changes the messages before every answer with each
 * call, so a model that binds its thinking would accept none of it.
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

function entryOf(source: ViewSource, handle: string, version: number): PoolEntry {
  const found = source.object(handle, version);
  if (found === undefined)
    throw new RangeError(`${handle} version ${version}, which the view shows, is not in the store`);
  const { id } = found;
  return { id, handle, stored: found.stored as StoredMetadata, row: { id, handle } };
}
