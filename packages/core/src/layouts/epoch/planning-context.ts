import { defined, groupsOf, madeOnce } from "@self-context-manager/objects";
import { type ToolFacts, usualToolFacts } from "../../calls/tool-facts.ts";
import type { ToolCallBlock } from "../../chat/message.ts";
import {
  type AssistantStep,
  callsOf,
  isAssistantStep,
  isDiscarded,
  type Turn,
  type TurnPosition,
} from "../../chat/turn.ts";
import { uncalibrated } from "../../cost/calibration.ts";
import type { InView, UseKey } from "../../policy/activation-policy.ts";
import { type DraftEntry, drawnEntry, type Drawn, messageOf } from "../../render/drawn-entry.ts";
import { messageTokens } from "../../render/message-tokens.ts";
import { withoutEmpty } from "../../render/step-content.ts";
import type { ActiveObject, CacheCost, EpochInput, LayoutInput } from "../../view/layout.ts";
import { type LeftOut, leftOutOf, type MessagePlace } from "../../view/left-out-rows.ts";
import type { PoolEntry } from "../../view/pool-entry.ts";
import { factsOf } from "../../view/entry-groups.ts";
import {
  handlesShown,
  type NoticeEntry,
  type ShownPart,
  type ViewEntry,
} from "../../view/view-entry.ts";
import type { NamedVersion, ViewSource } from "../../view/view-source.ts";
import type { EpochSettings } from "./epoch-settings.ts";
import { placedAnswers, type PlacedAnswersReader } from "./placed-answers.ts";

/** The input of one view, with its defaults filled in, and what is read from it again and again. */
export interface PlanningContext {
  readonly input: LayoutInput;
  readonly epochs: EpochInput;
  readonly settings: EpochSettings;
  readonly source: ViewSource;
  /** The active objects by handle. */
  readonly active: ReadonlyMap<string, ActiveObject>;
  readonly toolFacts: ToolFacts;
  readonly cache: CacheCost;
  /** Maximum tokens of the messages; infinite without a limit. */
  readonly budget: number;
  readonly keepsArguments: (object: InView) => boolean;
  readonly stays: (object: InView) => boolean;
  readonly isDeactivated: (key: UseKey) => boolean;
  /** The messages that the view leaves out. */
  readonly leftOut: LeftOut;
  /** The turn of the newest user message, of which no text leaves; -1 if there is none. */
  readonly newestUser: number;
  /**
   * The first turn of which a provider can demand the thinking: that of the newest user message, and those before it as
   * long as their last answer has calls. If the user writes while the tools run, the message is behind their results, and
   * Anthropic's API then demands the thinking of the answer that made the calls.
   */
  readonly demandedFrom: number;
  /** The place of the newest answer in the chat; undefined if there is none. */
  readonly newestAnswer: TurnPosition | undefined;
  entryOf(handle: string): PoolEntry | undefined;
  isPinned(handle: string): boolean;
  /** Returns the metadata line of a part's object, in its newest version. */
  lineOf(part: ShownPart): ShownPart;
  /** Returns one metadata line for each object of some parts. */
  linesFor(parts: readonly ShownPart[]): readonly ShownPart[];
  /** Returns the answer at a place of the chat; undefined if the place has none. */
  answerAt(place: Pick<MessagePlace, "turn" | "step">): AssistantStep | undefined;
  readonly answersOf: PlacedAnswersReader["answersOf"];
  readonly answersWith: PlacedAnswersReader["answersWith"];
  readonly signedIn: PlacedAnswersReader["signedIn"];
  /** Returns the call whose result is at a place of the chat. */
  callAt(place: Required<MessagePlace>): ToolCallBlock | undefined;
  /** Returns the object of the call whose result is at a place of the chat; undefined while there is no result. */
  resultAt(place: Required<MessagePlace>): PoolEntry | undefined;
  /** Whether an entry is the newest user message. */
  isNewestUser(entry: ViewEntry): boolean;
  /** Returns a notice with a text. */
  notice(text: string): NoticeEntry;
  /** Returns an entry with the tokens of its message. */
  sized<Draft extends DraftEntry>(entry: Draft): Drawn<Draft>;
  /** Returns the tokens of an entry's message by the session's own estimator. */
  tokensOf(entry: ViewEntry): number;
  /** Returns the tokens of all the entries. */
  total(entries: readonly ViewEntry[]): number;
}

const usualCache: CacheCost = { read: 0.1, write: 1.25, isCold: false, rewrites: "what-follows" };

/** Returns the context in which the view of an input is planned. */
export function planningContext(input: LayoutInput, settings: EpochSettings): PlanningContext {
  const { pool, turns, epochs = {} } = input;
  const { liveness } = epochs;
  const handles =
    input.handles ?? new Map([...pool.values()].map(({ handle, id }) => [handle, id]));
  const entryOf = (handle: string): PoolEntry | undefined => {
    const id = handles.get(handle);
    return id === undefined ? undefined : pool.get(id);
  };
  const active = new Map(input.active.map((object) => [object.entry.handle, object]));
  const leftOut = leftOutOf(input.leftOut ?? []);
  const source = sourceOf(input, active, entryOf);
  const lineOf: PlanningContext["lineOf"] = ({ of, version }) => ({
    of,
    version: entryOf(of)?.stored.version ?? version,
    form: "line",
  });
  const answerAt: PlanningContext["answerAt"] = ({ turn, step }) => {
    const found = turns[turn]?.steps[step];
    return found !== undefined && isAssistantStep(found) ? found : undefined;
  };
  const newestUser = turns.findLastIndex(
    ({ user }, turn) =>
      user !== null && withoutEmpty(user).length > 0 && !leftOut.has({ turn, step: -1 }),
  );
  const tokensOf = (entry: ViewEntry): number => countedTokens(input, source, entry);
  return {
    input,
    epochs,
    settings,
    source,
    active,
    toolFacts: epochs.toolFacts ?? usualToolFacts,
    cache: epochs.cache ?? usualCache,
    budget: input.budget ?? Number.POSITIVE_INFINITY,
    keepsArguments: liveness?.keepsArguments ?? (() => true),
    stays: liveness?.stays ?? (() => true),
    isDeactivated: liveness?.isDeactivated ?? (() => false),
    leftOut,
    newestUser,
    demandedFrom: demandedFrom(turns, newestUser),
    newestAnswer: newestAnswer(turns),
    entryOf,
    isPinned: (handle) => active.get(handle)?.isPinned === true,
    lineOf,
    linesFor: (parts) => {
      const first = new Map<string, ShownPart>();
      for (const part of parts) if (!first.has(part.of)) first.set(part.of, part);
      return [...first.values()].map(lineOf);
    },
    answerAt,
    ...placedAnswers(turns, answerAt),
    callAt: (place) => {
      const answer = answerAt(place);
      return answer === undefined ? undefined : callsOf(answer)[place.call];
    },
    resultAt: (place) => {
      const id = answerAt(place)?.toolcall_ids[place.call];
      return id === undefined ? undefined : pool.get(id);
    },
    isNewestUser: (entry) => entry.type === "user" && entry.turn === newestUser,
    notice: (text) => drawnEntry({ type: "notice", text }, source),
    sized: (entry) => drawnEntry(entry, source),
    tokensOf,
    total: (entries) => {
      let sum = 0;
      for (const group of groupsOf(entries)) sum += groupTokens(input, group, tokensOf);
      return sum;
    },
  };
}

function demandedFrom(turns: readonly Turn[], newestUser: number): number {
  let from = newestUser;
  let start = turns.length;
  for (const group of groupsOf(turns).toReversed()) {
    start -= group.length;
    if (from <= start) continue;
    if (from >= start + group.length && madeOnce(endings, group, (all) => all.every(endsWithCalls)))
      from = start;
    while (from > start && endsWithCalls(turns[from - 1])) from -= 1;
    if (from > start) break;
  }
  return from;
}

/** Whether all turns of a group end with calls. */
const endings = new WeakMap<readonly Turn[], boolean>();

function endsWithCalls(turn: Turn | undefined): boolean {
  const last = turn?.steps.findLast((step) => isAssistantStep(step) && step.failed !== true);
  return last !== undefined && isAssistantStep(last) && callsOf(last).length > 0;
}

function newestAnswer(turns: readonly Turn[]): TurnPosition | undefined {
  for (let turn = turns.length - 1; turn >= 0; turn -= 1) {
    const steps = turns[turn]?.steps ?? [];
    const step = steps.findLastIndex((one) => isAssistantStep(one) && !isDiscarded(one));
    if (step !== -1) return { turn, step };
  }
  return undefined;
}

const counted = new WeakMap<ViewEntry, { readonly estimator: unknown; readonly tokens: number }>();

function countedTokens(input: LayoutInput, source: ViewSource, entry: ViewEntry): number {
  if (isRaw(input)) return entry.tokens;
  const { estimator } = input;
  const known = counted.get(entry);
  if (known?.estimator === estimator) return known.tokens;
  const tokens = messageTokens(messageOf(entry, source), estimator);
  counted.set(entry, { estimator, tokens });
  return tokens;
}

/** Whether the tokens of entries count: they are estimates without a calibration and for an unknown model. */
export function isRaw({ estimator, calibration = uncalibrated }: LayoutInput): boolean {
  const { factor, factors } = calibration;
  return factor === 1 && factors === undefined && estimator.model === undefined;
}

const countedGroups = new WeakMap<
  readonly ViewEntry[],
  { readonly estimator: unknown; readonly tokens: number }
>();

function groupTokens(
  input: LayoutInput,
  group: readonly ViewEntry[],
  tokensOf: (entry: ViewEntry) => number,
): number {
  if (isRaw(input)) return factsOf(group).tokens;
  const { estimator } = input;
  const known = countedGroups.get(group);
  if (known?.estimator === estimator) return known.tokens;
  let tokens = 0;
  for (const entry of group) tokens += tokensOf(entry);
  countedGroups.set(group, { estimator, tokens });
  return tokens;
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

/** Returns a context in which some objects are not active, because their contents have left the view. */
export function withoutObjects(
  context: PlanningContext,
  gone: ReadonlySet<UseKey>,
): PlanningContext {
  if (gone.size === 0) return context;
  const left = context.input.active.filter(({ entry }) => !gone.has(entry.handle));
  const active = new Map(left.map((object) => [object.entry.handle, object]));
  return { ...context, active, input: { ...context.input, active: left } };
}

/** Returns the handles of the calls that are in the folds of a view, and whose output it does not show elsewhere. */
export function foldedOnly(
  context: PlanningContext,
  entries: readonly ViewEntry[],
): ReadonlySet<string> {
  const shown = handlesShown(entries);
  const folded = entries.flatMap((entry) => {
    if (entry.type !== "assistant") return [];
    const { turn, fold } = entry;
    const ids =
      fold?.steps.flatMap((step) => context.answerAt({ turn, step })?.toolcall_ids ?? []) ?? [];
    return ids.flatMap((id) => context.input.pool.get(id)?.handle ?? []);
  });
  return new Set(folded.filter((of) => !shown.has(of)));
}
