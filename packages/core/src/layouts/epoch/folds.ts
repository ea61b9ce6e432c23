import { hasSignedThinking, hasThinkingItem } from "../../chat/signed-thinking.ts";
import { shownParts } from "../../view/shown-parts.ts";
import {
  type AssistantEntry,
  contentParts,
  partsOf,
  type ResultEntry,
  type ViewEntry,
} from "../../view/view-entry.ts";
import { foldOf } from "./fold-text.ts";
import type { PlanningContext } from "./planning-context.ts";

/** The number of answers with tool calls that must follow a step before it is folded, by the turn of the step. */
export interface FoldAges {
  readonly earlier: number;
  readonly present: number;
}

/** An answer with its results. */
interface Step {
  readonly index: number;
  readonly answer: AssistantEntry;
  readonly results: readonly ResultEntry[];
  /** The number of answers with tool calls behind it. */
  readonly age: number;
}

/**
 * Returns a view in which finished steps from an index on are folded (decision D71): those that show no content and that
 * are old enough. The text about them is in the last answer of their turn, or in the present turn in the first answer
 * that is not old. Called only when an epoch ends.
 */
export function withFolds(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  from: number,
  forBudget?: FoldAges,
): readonly ViewEntry[] {
  const ages = forBudget ?? agesOf(context);
  if (ages === undefined) return entries;
  const whole = forBudget === undefined ? context.epochs.unfolded : undefined;
  const isFoldable = foldableSteps(context, entries);
  const present = context.demandedFrom;
  const folded = new Set<ViewEntry>();
  const carriers = new Map<ViewEntry, AssistantEntry>();
  for (const [turn, steps] of Map.groupBy(stepsFrom(context, entries, from), turnOf)) {
    const age = turn < present ? ages.earlier : ages.present;
    const carrier = turn < present ? steps.at(-1) : firstKept(context, steps, age);
    if (carrier === undefined || whole?.includes(turn) === true) continue;
    const old = steps.filter(
      (step) => step.index < carrier.index && step.age > age && isFoldable(step),
    );
    const made = withFold(context, carrier.answer, old);
    if (made === undefined) continue;
    carriers.set(carrier.answer, made);
    for (const { answer, results } of old) for (const one of [answer, ...results]) folded.add(one);
  }
  if (carriers.size === 0) return entries;
  return entries.flatMap((entry) => (folded.has(entry) ? [] : [carriers.get(entry) ?? entry]));
}

function agesOf({ settings: { folds } }: PlanningContext): FoldAges | undefined {
  return folds === undefined ? undefined : { earlier: folds.age, present: folds.age };
}

function turnOf({ answer }: Step): number {
  return answer.turn;
}

/** Returns the answers from an index on, in order, each with its results. */
function stepsFrom(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  from: number,
): readonly Step[] {
  const steps: Step[] = [];
  let results: ResultEntry[] = [];
  let age = 0;
  for (let index = entries.length - 1; index >= from; index -= 1) {
    const entry = entries[index];
    if (entry?.type === "result") results.unshift(entry);
    else {
      if (entry?.type === "assistant") {
        steps.unshift({ index, answer: entry, results, age });
        if ((context.answerAt(entry)?.toolcall_ids.length ?? 0) > 0) age += 1;
      }
      results = [];
    }
  }
  return steps;
}

/**
 * Returns the first step of the present turn that is not old, which gets the text about those before it; undefined if none
 * can: the host shows the messages of this turn, or it has signed thinking, which its provider can demand.
 */
function firstKept(
  context: PlanningContext,
  steps: readonly Step[],
  age: number,
): Step | undefined {
  if (context.epochs.isTurnFixed === true) return undefined;
  const isBound = steps.some(({ answer }) => {
    const step = context.answerAt(answer);
    return step === undefined || hasSignedThinking(step) || hasThinkingItem(step);
  });
  return isBound ? undefined : steps.find((step) => step.age <= age);
}

/** Returns whether a step can be folded: it shows no content, and nothing that stays needs it. */
function foldableSteps(
  context: PlanningContext,
  entries: readonly ViewEntry[],
): (step: Step) => boolean {
  const needed = shownParts(entries).callsNeeded();
  const shownAbove = new Set(
    entries.flatMap((entry) =>
      partsOf(entry)
        .filter(({ form }) => form === "above")
        .map(({ of }) => of),
    ),
  );
  const canFold = ({ of, form, ...entry }: ResultEntry): boolean => {
    if (of === undefined || needed.has(of) || context.isPinned(of)) return false;
    if (form === "bare") return !shownAbove.has(of);
    return contentParts({ of, form, ...entry }).length === 0;
  };
  return ({ answer, results }) =>
    results.length === (context.answerAt(answer)?.toolcall_ids.length ?? 0) &&
    results.every(canFold);
}

/**
 * Returns an answer with the text about folded steps, or undefined if they have less than twice its tokens. Of steps without
 * a call, a fold would say nothing. Without further steps, an answer gets the summary that its fold lacks.
 */
function withFold(
  context: PlanningContext,
  answer: AssistantEntry,
  folded: readonly Step[],
): AssistantEntry | undefined {
  const hasCall = folded.some(({ results }) => results.length > 0);
  const isMore = hasCall || folded.some((step) => step.answer.fold !== undefined);
  if (!isMore && !lacksSummary(context, answer)) return undefined;
  const all = [answer.fold, ...folded.map((step) => step.answer.fold)];
  const before = all.flatMap((fold) => fold?.steps ?? []);
  const steps = [...new Set([...before, ...folded.map((step) => step.answer.step)])];
  const fold = foldOf(
    context,
    answer.turn,
    steps.toSorted((one, other) => one - other),
  );
  const made = context.sized({ ...answer, fold });
  if (!isMore) return made;
  let removed = 0;
  for (const step of folded)
    for (const { tokens } of [step.answer, ...step.results]) removed += tokens;
  return 2 * (made.tokens - answer.tokens) <= removed ? made : undefined;
}

/** Whether a model has written a summary of a turn since its steps were folded. */
function lacksSummary({ epochs }: PlanningContext, { turn, fold }: AssistantEntry): boolean {
  const summary = fold === undefined ? undefined : epochs.summaryOf?.(turn);
  return summary !== undefined && fold?.text.includes(summary) === false;
}
