import { defined, type ObjectId } from "@self-context-manager/objects";
import { type ToolFacts, usualToolFacts } from "../../calls/tool-facts.ts";
import type { InView, UseKey } from "../../policy/activation-policy.ts";
import { withoutEmpty } from "../../render/step-content.ts";
import type { ActiveObject, CacheCost, LayoutInput } from "../../view/layout.ts";
import { type LeftOut, leftOutOf } from "../../view/left-out-rows.ts";
import type { PoolEntry } from "../../view/pool-entry.ts";
import type { NamedVersion, ViewSource } from "../../view/view-source.ts";
import type { EpochSettings } from "./epoch-settings.ts";

/** The input of one view, with its defaults filled in and its active objects by handle. */
export interface PlanningContext {
  readonly input: LayoutInput;
  readonly settings: EpochSettings;
  readonly source: ViewSource;
  readonly active: ReadonlyMap<string, ActiveObject>;
  readonly toolFacts: ToolFacts;
  readonly cache: CacheCost;
  readonly keepsArguments: (object: InView) => boolean;
  readonly stays: (object: InView) => boolean;
  readonly isDeactivated: (key: UseKey) => boolean;
  readonly entryOf: (handle: string) => PoolEntry | undefined;
  /** The messages that the view leaves out. */
  readonly leftOut: LeftOut;
  /** The turn of the newest user message, of which no text leaves; -1 if there is none. */
  readonly newestUser: number;
}

const usualCache: CacheCost = { read: 0.1, write: 1.25, isCold: false, rewrites: "what-follows" };

/** Returns the context in which the view of an input is planned. */
export function planningContext(input: LayoutInput, settings: EpochSettings): PlanningContext {
  const handles = input.handles ?? handlesIn(input.pool.values());
  const entryOf = (handle: string): PoolEntry | undefined => {
    const id = handles.get(handle);
    return id === undefined ? undefined : input.pool.get(id);
  };
  const active = new Map(input.active.map((object) => [object.entry.handle, object]));
  const leftOut = leftOutOf(input.leftOut ?? []);
  return {
    input,
    settings,
    source: sourceOf(input, active, entryOf),
    active,
    toolFacts: input.toolFacts ?? usualToolFacts,
    cache: input.cache ?? usualCache,
    keepsArguments: input.liveness?.keepsArguments ?? (() => true),
    stays: input.liveness?.stays ?? (() => true),
    isDeactivated: input.liveness?.isDeactivated ?? (() => false),
    entryOf,
    leftOut,
    newestUser: input.turns.findLastIndex(
      ({ user }, turn) =>
        user !== null && withoutEmpty(user).length > 0 && !leftOut.has({ turn, step: -1 }),
    ),
  };
}

function sourceOf(
  input: LayoutInput,
  active: ReadonlyMap<string, ActiveObject>,
  entryOf: (handle: string) => PoolEntry | undefined,
): ViewSource {
  return {
    turns: input.turns,
    ...defined({ compaction: input.compaction }),
    chatHandle: input.chatHandle,
    workspace: input.workspace,
    object(handle, version): NamedVersion | undefined {
      const known = entryOf(handle);
      if (known === undefined) return undefined;
      const { id } = known;
      const shown = active.get(handle);
      if (shown?.stored.version === version) return { id, handle, stored: shown.stored };
      const kept = input.versions?.get(`${handle}@${version}`);
      if (kept !== undefined) return { id, handle, stored: kept };
      return known.stored.version === version ? { id, handle, stored: known.stored } : undefined;
    },
  };
}

function handlesIn(entries: Iterable<PoolEntry>): ReadonlyMap<string, ObjectId> {
  const handles = new Map<string, ObjectId>();
  for (const { handle, id } of entries) handles.set(handle, id);
  return handles;
}
