import type { ObjectId } from "@self-context-manager/objects";
import { type ToolFacts, usualToolFacts } from "../../calls/tool-facts.ts";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import type { InView } from "../../policy/activation-policy.ts";
import { messageTokens } from "../../render/message-tokens.ts";
import { renderEntry } from "../../render/render-entry.ts";
import type { ActiveObject, CacheCost, LayoutInput, ViewMessage } from "../../view/layout.ts";
import type { PoolEntry } from "../../view/pool-entry.ts";
import type { ViewEntry } from "../../view/view-entry.ts";
import type { NamedVersion, ViewSource } from "../../view/view-source.ts";
import type { EpochSettings } from "./epoch-settings.ts";

/** What planning a view works with. */
export interface ViewDraft {
  readonly input: LayoutInput;
  readonly settings: EpochSettings;
  readonly source: ViewSource;
  readonly active: ReadonlyMap<string, ActiveObject>;
  readonly toolFacts: ToolFacts;
  readonly cache: CacheCost;
  readonly keepsArguments: (object: InView) => boolean;
  readonly stays: (object: InView) => boolean;
  readonly entryOf: (handle: string) => PoolEntry | undefined;
}

const usualCache: CacheCost = { read: 0.1, write: 1.25, isCold: false, rewrites: "what-follows" };

export function viewDraft(input: LayoutInput, settings: EpochSettings): ViewDraft {
  const handles = input.handles ?? handlesIn(input.pool.values());
  const entryOf = (handle: string): PoolEntry | undefined => {
    const id = handles.get(handle);
    return id === undefined ? undefined : input.pool.get(id);
  };
  const active = new Map(input.active.map((object) => [object.entry.handle, object]));
  return {
    input,
    settings,
    source: sourceOf(input, active, entryOf),
    active,
    toolFacts: input.toolFacts ?? usualToolFacts,
    cache: input.cache ?? usualCache,
    keepsArguments: input.liveness?.keepsArguments ?? (() => true),
    stays: input.liveness?.stays ?? (() => true),
    entryOf,
  };
}

function sourceOf(
  input: LayoutInput,
  active: ReadonlyMap<string, ActiveObject>,
  entryOf: (handle: string) => PoolEntry | undefined,
): ViewSource {
  return {
    turns: input.turns,
    ...(input.compaction === undefined ? {} : { compaction: input.compaction }),
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

/** Messages by the entry that they were made from: an entry never changes, and neither do its bytes. */
const messages = new WeakMap<ViewEntry, ViewMessage>();

/** The message of an entry, made once. */
export function messageOf(entry: ViewEntry, source: ViewSource): ViewMessage {
  const known = messages.get(entry);
  if (known !== undefined) return known;
  const made = renderEntry(entry, source);
  messages.set(entry, made);
  return made;
}

/** Whether an entry's message can be had without the content of its objects. */
export function isRendered(entry: ViewEntry): boolean {
  return messages.has(entry);
}

/** An entry with the tokens of its message. */
export function sized<Entry extends ViewEntry>(
  entry: Omit<Entry, "tokens">,
  source: ViewSource,
): Entry {
  const message = renderEntry({ ...entry, tokens: 0 } as Entry, source);
  const made = Object.freeze({
    ...entry,
    tokens: Math.ceil(messageTokens(message, rawEstimator)),
  }) as Entry;
  messages.set(made, message);
  return made;
}
