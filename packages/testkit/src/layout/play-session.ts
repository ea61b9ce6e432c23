import {
  type ActiveObject,
  type CacheCost,
  calibratedEstimator,
  type HeldTexts,
  type LayoutInput,
  type LayoutOutput,
  type ViewRecord,
  type ViewSource,
} from "@self-context-manager/core/layout";
import { type Layout, recentlyUsedPolicy, type ViewMessage } from "@self-context-manager/core";
import {
  defined,
  isReference,
  type JsonValue,
  type ObjectId,
  type StoredVersion,
} from "@self-context-manager/objects";

import { canBeAsked, grown } from "./grow-session.ts";
import { workspace } from "./session-objects.ts";
import { type SessionPlace, sessionPlace } from "./session-place.ts";
import type { SessionScript } from "./session-script.ts";
import {
  deactivated,
  emptySession,
  idsOf,
  type ModelNow,
  newest,
  type SessionNow,
} from "./session-state.ts";

/** A model call of a session: the layout's input and its output. */
export interface PlayedCall {
  /** The number of the call, from 1. */
  readonly call: number;
  readonly model: ModelNow;
  /** The model of the last sent view. */
  readonly lastModel?: ModelNow;
  readonly input: LayoutInput;
  /** The record of the last sent view, if the session continues from it. */
  readonly last?: ViewRecord;
  readonly lastMessages: readonly ViewMessage[];
  /** The budget of the last sent view. */
  readonly lastBudget?: number;
  /** The messages that the last sent view left out. */
  readonly lastLeftOut: readonly string[];
  readonly output: LayoutOutput;
  /** Whether the user has had the chat summarised since the last sent view. */
  readonly isCompacted: boolean;
  /** The source that a view is rebuilt from: the chat as it was at that time, and all versions of all objects. */
  readonly source: ViewSource;
  /** Returns the input for continuing from another copy of the record. */
  readonly inputFrom: (layout: Layout, last: ViewRecord | undefined) => LayoutInput;
}

/** Yields every call of a session, which a layout renders one after another. */
export function* playedCalls(layout: Layout, script: SessionScript): Generator<PlayedCall> {
  const place = sessionPlace();
  const policy = recentlyUsedPolicy({ alive: script.alive, kept: script.kept });
  const { thinking = "free", keepsVersions = false, needsMarks = false } = script;
  const cache: CacheCost = {
    ...usualCache,
    rewrites: needsMarks ? "after-a-mark" : "what-follows",
  };
  let now: SessionNow = {
    ...emptySession,
    keepsVersions,
    model: { ...emptySession.model, thinking },
  };
  for (const { happenings, isCold } of script.moments) {
    for (const happening of happenings) now = grown(now, happening, place);
    if (!canBeAsked(now)) continue;
    now = withoutLeaving(now, policy);
    const current = now;
    const inputFrom = (by: Layout, last: ViewRecord | undefined): LayoutInput =>
      inputOf(by, current, place, policy, last, { ...cache, isCold });
    const last = current.sent?.record;
    const input = inputFrom(layout, last);
    const output = layout.render(input, last);
    place.views += 1;
    const call = place.views;
    yield {
      call,
      model: current.model,
      ...(current.sent === undefined ? {} : { lastModel: current.sent.model }),
      input,
      ...defined({ last, lastBudget: current.sent?.budget }),
      lastMessages: current.sent?.messages ?? [],
      lastLeftOut: current.sent?.leftOut ?? [],
      output,
      isCompacted: last !== undefined && current.compaction !== current.sent?.compaction,
      source: sourceOf(current, place),
      inputFrom,
    };
    const { record, messages } = output;
    const { compaction, budget, model, leftOut } = now;
    const sent = { call, isAnswered: false, record, messages, compaction, budget, model, leftOut };
    now = { ...now, sent };
    for (const id of output.deactivated ?? []) now = deactivated(now, handleOf(input, id), false);
  }
}

export const usualCache: CacheCost = {
  read: 0.1,
  write: 1.25,
  isCold: false,
  rewrites: "what-follows",
};

type Policy = ReturnType<typeof recentlyUsedPolicy>;

function withoutLeaving(now: SessionNow, policy: Policy): SessionNow {
  const candidates = [...now.active.keys()].flatMap((handle) => {
    const entry = now.pool.get(handle);
    if (entry === undefined || now.pinned.has(handle)) return [];
    const tokens = Number(entry.stored.body["char_count"] ?? 0) / 4;
    const { type } = entry.stored.body;
    return [{ id: entry.id, key: handle, type, used: { turn: 0, call: 0 }, tokens }];
  });
  const { recent } = now;
  const leaving = new Set(
    policy.leaving({ candidates, turn: 0, callsInTurn: () => 0, recent, sentTokens: 0 }),
  );
  return candidates.reduce(
    (then, { id, key }) => (leaving.has(id) ? deactivated(then, key, false) : then),
    now,
  );
}

function inputOf(
  layout: Layout,
  now: SessionNow,
  place: SessionPlace,
  policy: Policy,
  last: ViewRecord | undefined,
  cache: CacheCost,
): LayoutInput {
  const pool = idsOf(now.pool);
  const active = activeObjects(now, place);
  const needed = last === undefined ? [] : (layout.needs?.(last, active) ?? []);
  const versions = new Map<string, StoredVersion>();
  for (const name of needed) {
    const stored = place.versions.get(name);
    if (stored !== undefined) versions.set(name, stored);
  }
  return {
    turns: now.turns,
    ...defined({ compaction: now.compaction }),
    chatHandle: "chat",
    pool,
    poolRevision: place.times,
    handles: new Map([...now.pool].map(([handle, { id }]) => [handle, id])),
    active,
    versions,
    workspace,
    estimator: calibratedEstimator({ factor: now.factor, overhead: 0 }),
    calibration: { factor: now.factor, overhead: 0 },
    ...(now.leftOut.length === 0 ? {} : { leftOut: now.leftOut }),
    ...defined({ budget: now.budget, thinking: now.model.thinking }),
    epochs: {
      broughtIn: [...pool.values()].filter(
        ({ row }) => row.loaded === true || row.linked !== undefined,
      ),
      liveness: {
        keepsArguments: policy.keepsArguments(now.recent),
        stays: policy.staysAtSweep(now.recent),
        isDeactivated: (key) => !now.recent.includes(key),
      },
      cache,
      textsOf: (call) => heldTexts(pool.get(call)?.stored.body["file_refs"], place),
      replacedIn: (call) => {
        const held = heldTexts(pool.get(call)?.stored.body["file_refs"], place);
        return held === undefined || held.version === 1
          ? undefined
          : { file: held.file, version: held.version - 1 };
      },
      ...defined({
        head: now.model.head,
        lastCall: last === undefined ? undefined : now.sent?.call,
      }),
    },
  };
}

/** Returns the version of the file that a call wrote. */
function heldTexts(
  references: JsonValue | undefined,
  { versions }: SessionPlace,
): HeldTexts | undefined {
  const [reference] = Array.isArray(references) ? references.filter(isReference) : [];
  if (reference?.ref !== "static") return undefined;
  const made = [...versions.values()].find(
    ({ body, at }) => body.id === reference.id && at.tx_id === reference.tx_id,
  );
  return made === undefined ? undefined : { file: reference.id, version: made.version };
}

function activeObjects(now: SessionNow, { versions }: SessionPlace): readonly ActiveObject[] {
  return [...now.active].flatMap(
    ([handle, { version, ranges, isAsked }]): readonly ActiveObject[] => {
      const entry = now.pool.get(handle);
      const stored =
        version === undefined ? newest(versions, handle) : versions.get(`${handle}@${version}`);
      if (entry === undefined || stored === undefined) return [];
      const { content } = stored.body;
      if (content === null && stored.body["blocks"] === undefined) return [];
      const lines = (content ?? "").split("\n").length - ((content ?? "").endsWith("\n") ? 1 : 0);
      const within = (ranges ?? []).filter(({ from }) => from <= lines);
      return [
        {
          entry,
          stored,
          isPinned: now.pinned.has(handle),
          ...(within.length === 0
            ? {}
            : { ranges: within.map(({ from, to }) => ({ from, to: Math.min(to, lines) })) }),
          ...(isAsked ? { isAsked: true } : {}),
        },
      ];
    },
  );
}

function sourceOf(now: SessionNow, { versions }: SessionPlace): ViewSource {
  return {
    turns: now.turns,
    ...defined({ compaction: now.compaction }),
    chatHandle: "chat",
    workspace,
    object: (handle, version) => {
      const stored = versions.get(`${handle}@${version}`);
      return stored === undefined ? undefined : { id: stored.body.id, handle, stored };
    },
  };
}

function handleOf({ pool }: LayoutInput, id: ObjectId): string {
  return pool.get(id)?.handle ?? "";
}
