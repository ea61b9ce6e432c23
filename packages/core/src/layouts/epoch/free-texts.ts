import { groupsOf, madeOnce } from "@self-context-manager/objects";
import { canReplace, replacedTexts, withoutReplaced } from "../../calls/replaced-texts.ts";
import { withHeads } from "../../calls/text-heads.ts";
import { argumentsOf, type ToolCallBlock } from "../../chat/message.ts";
import {
  hasSignedThinking,
  hasThinkingItem,
  withoutAllThinking,
  withoutSignedThinking,
} from "../../chat/signed-thinking.ts";
import { type AssistantStep, callsOf } from "../../chat/turn.ts";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { contentTokens } from "../../render/message-tokens.ts";
import { withoutEmpty } from "../../render/step-content.ts";
import { firstMarked, marked } from "../../view/entry-groups.ts";
import { shownParts } from "../../view/shown-parts.ts";
import type { ArgumentStub, AssistantEntry, ViewEntry } from "../../view/view-entry.ts";
import { boundTo } from "./bound-thinking.ts";
import type { EpochSettings } from "./epoch-settings.ts";
import { argumentTokens, holder, mayChange } from "./large-arguments.ts";
import type { Removable } from "./leaving.ts";
import { middleTokens, withoutMiddle } from "./long-outputs.ts";
import { answerFacts, type PlacedAnswers } from "./placed-answers.ts";
import type { PlanningContext } from "./planning-context.ts";
import { firstUnsent } from "./same-entries.ts";

/** Characters from which on a text that an edit replaced can leave. */
const leastReplaced = 120;

/** Characters that are shown of a long text in the arguments of a call that writes no file; about 50 tokens. */
const shownHead = 200;

/**
 * Free texts: texts that leave when an epoch ends, and only where the prompt is written again anyway. No policy decides
 * about them, and they end no epoch. They are the texts that edits replaced, the rest of long arguments of calls that
 * write no file, the thinking of earlier turns, and the middle of long outputs that the model has answered.
 */
interface FreeTexts {
  readonly calls: readonly FreeCall[];
  /** If the thinking of the answer leaves: the tokens of it that a change of the view does not remove anyway. */
  readonly thinking: number | undefined;
}

interface FreeCall {
  readonly call: number;
  readonly form: "replaced" | "head";
  /** Tokens that leave the view with its texts. */
  readonly saves: number;
}

/**
 * Returns the tokens of the free texts from an index on. Those of the parts that leave by the policy's decision do not
 * count.
 */
export function freeTokens(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  from: number,
  leaving: readonly Removable[],
): number {
  const whole = new Set(leaving.map(({ index, call }) => `${index}.${call}`));
  let tokens = 0;
  for (const [index, { calls, thinking = 0 }] of freeTextsFrom(context, entries, from)) {
    tokens += thinking;
    for (const { call, saves } of calls) if (!whole.has(`${index}.${call}`)) tokens += saves;
  }
  const answered = firstUnsent(entries);
  for (const index of marked(entries, "content"))
    if (index >= from && index < answered && !whole.has(`${index}.undefined`))
      tokens += middleTokens(context, entries[index] as ViewEntry);
  return tokens;
}

/** Returns a view without the free texts from an index on. Answers that contain nothing else are left out. */
export function withoutFreeTexts(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  from: number,
): readonly ViewEntry[] {
  const found = freeTextsFrom(context, entries, from);
  const answered = firstUnsent(entries);
  return entries.flatMap((entry, index): readonly ViewEntry[] => {
    const free = found.get(index);
    const step = entry.type === "assistant" ? context.answerAt(entry) : undefined;
    if (free === undefined || entry.type !== "assistant" || step === undefined)
      return [index >= from && index < answered ? withoutMiddle(context, entry) : entry];
    const isThought = free.thinking !== undefined;
    if (isThought && entry.fold === undefined && isOnlyThought(step)) return [];
    const more = free.calls.map((one) => freeStub(context, step, one));
    const stubs = [...(entry.stubs ?? []), ...more].toSorted((a, b) => a.call - b.call);
    const made = context.sized({
      ...entry,
      ...(isThought ? { thinking: "all-left-out" } : {}),
      ...(stubs.length === 0 ? {} : { stubs }),
    });
    return [context.tokensOf(made) < context.tokensOf(entry) ? made : entry];
  });
}

function isOnlyThought({ assistant }: AssistantStep): boolean {
  return withoutEmpty(withoutAllThinking(assistant)).length === 0;
}

/**
 * Whether a view lacks thinking that a provider demands, as after the user went back to an earlier turn.
 */
export function lacksNewestThinking(
  context: PlanningContext,
  entries: readonly ViewEntry[],
): boolean {
  const from = context.demandedFrom;
  const isNewest = (entry: ViewEntry): boolean => entry.type === "assistant" && entry.turn >= from;
  return firstMarked(entries, "thoughtless", isNewest) !== -1;
}

/** Returns the free texts of the answers from an index on, by the index of their entries. */
function freeTextsFrom(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  from: number,
): ReadonlyMap<number, FreeTexts> {
  const found = new Map<number, FreeTexts>();
  const demanded = context.demandedFrom;
  let needed: ReadonlySet<string> | undefined;
  let age = -1;
  let start = entries.length;
  const pass = (group: readonly ViewEntry[]): void => {
    for (let index = start + group.length - 1; index >= Math.max(from, start); index -= 1)
      look(index);
  };
  const look = (index: number): void => {
    const entry = entries[index];
    const step = entry?.type === "assistant" ? context.answerAt(entry) : undefined;
    if (entry?.type !== "assistant" || step === undefined) return;
    if (step.toolcall_ids.length > 0) age += 1;
    const thinking = freeThinking(context, entry, step, demanded);
    const isFree = (one: FreeCall): boolean => {
      const known = context.resultAt({ ...entry, call: one.call });
      if (known === undefined || entry.stubs?.some(({ call }) => call === one.call) === true)
        return false;
      if (one.form === "head") return known.stored.body["context_tool"] !== true;
      needed ??= shownParts(entries).callsNeeded();
      return !needed.has(known.handle);
    };
    const calls = freeCalls(context, step)
      .filter(({ form }) => age > ageOf(context.settings, form))
      .filter(isFree);
    const leaving = calls.length > 0 && mayChange(context, entry, step) ? calls : [];
    if (thinking !== undefined || leaving.length > 0)
      found.set(index, { calls: leaving, thinking });
  };
  for (const group of groupsOf(entries).toReversed()) {
    start -= group.length;
    if (start + group.length <= from) break;
    const answers = context.answersOf(group);
    if (canBeFree(context, answers)) pass(group);
    else age += answerFacts(answers).withCalls;
  }
  return found;
}

const freePlaces = new WeakMap<
  PlacedAnswers,
  { readonly settings: EpochSettings; readonly isAny: boolean }
>();

/** Whether any of the answers has texts that are free as soon as they are old. */
function canBeFree(context: PlanningContext, answers: PlacedAnswers): boolean {
  const { settings } = context;
  const known = freePlaces.get(answers);
  if (known?.settings === settings) return known.isAny;
  const isAny =
    answerFacts(answers).thinking.length > 0 ||
    answers.some((step) => step !== undefined && freeCalls(context, step).length > 0);
  freePlaces.set(answers, { settings, isAny });
  return isAny;
}

/** Returns how many answers with tool calls must follow before texts of a form leave. */
function ageOf(
  { replacedTexts: replaced, otherArguments: others }: EpochSettings,
  form: FreeCall["form"],
): number {
  return (form === "replaced" ? replaced : others?.age) ?? Number.POSITIVE_INFINITY;
}

const knownCalls = new WeakMap<
  AssistantStep,
  { readonly settings: EpochSettings; readonly calls: readonly FreeCall[] }
>();

/** Returns the calls of an answer with texts that are free as soon as they are old. */
function freeCalls(context: PlanningContext, step: AssistantStep): readonly FreeCall[] {
  const { settings } = context;
  const before = knownCalls.get(step);
  if (before?.settings === settings) return before.calls;
  const calls = callsOf(step).flatMap((block, call): readonly FreeCall[] => {
    const form = formOf(context, block);
    if (form === undefined) return [];
    const shown =
      form === "head"
        ? withHeads(block.arguments, shownHead)
        : withoutReplaced(block.arguments, leastReplaced, { of: "f100", version: 10 });
    const saves = argumentTokens(block.arguments) - argumentTokens(shown);
    return saves > 0 ? [{ call, form, saves }] : [];
  });
  knownCalls.set(step, { settings, calls });
  return calls;
}

function formOf(
  { settings, toolFacts }: PlanningContext,
  { name, arguments: given }: ToolCallBlock,
): FreeCall["form"] | undefined {
  const args = argumentsOf(given);
  const { otherArguments: others } = settings;
  const hasReplaced = settings.replacedTexts !== undefined && canReplace(args);
  // A text has fewer tokens than characters, so the tokens of most calls need not be counted.
  const length = JSON.stringify(args).length;
  const isLong = others !== undefined && length > others.over && argumentTokens(args) > others.over;
  if (length < leastReplaced || (!hasReplaced && !isLong)) return undefined;
  const { kind, writtenPath, contextTool } = toolFacts(name, args);
  if (kind === "edit") return hasReplaced ? "replaced" : undefined;
  if (kind === "write" || writtenPath !== undefined || contextTool !== undefined) return undefined;
  return isLong ? "head" : undefined;
}

function freeStub(
  context: PlanningContext,
  step: AssistantStep,
  { call, form }: FreeCall,
): ArgumentStub {
  if (form === "head") return { call, head: shownHead };
  const stub = { call, replaced: leastReplaced };
  const id = step.toolcall_ids[call];
  const { found, removed } = replacedTexts(
    argumentsOf(callsOf(step)[call]?.arguments),
    leastReplaced,
  );
  // A stub of removed lines names no version, so one record cannot be about both.
  if (id === undefined || found.length === 0 || removed.length > 0) return stub;
  return { ...stub, ...holder(context, context.epochs.replacedIn?.(id, found)) };
}

/**
 * Returns the tokens of the thinking of an answer, if it is free. `demanded`: the first turn of which it stays. If the
 * model binds its thinking, a change of the view removes the signed thinking behind it anyway, so only the other counts.
 */
function freeThinking(
  context: PlanningContext,
  { turn, thinking }: AssistantEntry,
  step: AssistantStep,
  demanded: number,
): number | undefined {
  const { settings } = context;
  const isEarlier = turn < demanded && thinking !== "all-left-out";
  if (settings.earlierThinking === "stays" || !isEarlier || hasThinkingItem(step)) return undefined;
  const isBound = boundTo(context) !== undefined;
  const known = madeOnce(thinkingSaves, step, () => new Map<string, number>());
  const saves = madeOnce(known, `${thinking === "left-out"} ${isBound}`, () =>
    thinkingTokens(step, thinking === "left-out", isBound),
  );
  return saves === nothing ? undefined : saves;
}

/** The tokens of the free thinking of answers, by how it is shown and whether the model binds it. */
const thinkingSaves = new WeakMap<AssistantStep, Map<string, number>>();

/** No thinking that could leave. Thinking without tokens can. */
const nothing = -1;

function thinkingTokens(step: AssistantStep, isUnsigned: boolean, isBound: boolean): number {
  const { assistant } = step;
  const rest = withoutAllThinking(assistant);
  const shown = isUnsigned ? withoutSignedThinking(assistant) : assistant;
  const isSigned = !isUnsigned && hasSignedThinking(step);
  if (rest.length === shown.length && !isSigned) return nothing;
  const counted = isBound ? withoutSignedThinking(shown) : shown;
  return Math.max(0, contentTokens(counted, rawEstimator) - contentTokens(rest, rawEstimator));
}
