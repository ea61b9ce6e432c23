import { defined, madeOnce } from "@self-context-manager/objects";
import { isLargeWrite } from "../../calls/large-write.ts";
import { argumentsOf } from "../../chat/message.ts";
import { hasSignedThinking } from "../../chat/signed-thinking.ts";
import { type AssistantStep, callsOf } from "../../chat/turn.ts";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { argumentsKey, type UseKey } from "../../policy/activation-policy.ts";
import { stubbed } from "../../render/argument-stubs.ts";
import type { HeldTexts } from "../../view/layout.ts";
import {
  type ArgumentStub,
  type AssistantEntry,
  isWholeStub,
  type ViewEntry,
} from "../../view/view-entry.ts";
import { boundTo } from "./bound-thinking.ts";
import type { PlacedAnswers } from "./placed-answers.ts";
import type { PlanningContext } from "./planning-context.ts";

/** Large arguments in view that can leave. */
export interface LargeArguments {
  readonly key: UseKey;
  /** Position of the call in the answer. */
  readonly call: number;
  /** Tokens that leave the view with them. */
  readonly saves: number;
}

type LargeCall = Omit<LargeArguments, "key">;

const largeCalls = new WeakMap<
  AssistantStep,
  { readonly from: number; calls: readonly LargeCall[] }
>();

const none: readonly LargeArguments[] = [];

/** Returns the large arguments of an answer that wrote a file and are still in view. */
export function argumentsInView(
  context: PlanningContext,
  entry: AssistantEntry,
): readonly LargeArguments[] {
  const from = context.settings.largeArguments;
  const step = context.answerAt(entry);
  if (from === undefined || step === undefined) return none;
  const large = largeCallsOf(context, step, from);
  if (large.length === 0 || !mayChange(context, entry, step)) return none;
  return large.flatMap((one) => {
    const { call } = one;
    const stub = entry.stubs?.find((known) => known.call === call);
    const saves = stub === undefined ? one.saves : one.saves - savedBy(step, stub);
    const known = context.resultAt({ ...entry, call });
    if (known === undefined || saves <= 0) return [];
    return [{ key: argumentsKey(known.handle), call, saves }];
  });
}

const largePlaces = new WeakMap<
  PlacedAnswers,
  { readonly from: number; readonly places: readonly number[] }
>();

/** Returns the indexes of the answers in a view of which large arguments can be in view, in order. */
export function answersWithLarge(
  context: PlanningContext,
  entries: readonly ViewEntry[],
): readonly number[] {
  const from = context.settings.largeArguments;
  if (from === undefined) return [];
  return context.answersWith(entries, (answers) => {
    const known = largePlaces.get(answers);
    if (known?.from === from) return known.places;
    const places = [...answers.keys()].filter((at) => {
      const step = answers[at];
      return step !== undefined && largeCallsOf(context, step, from).length > 0;
    });
    largePlaces.set(answers, { from, places });
    return places;
  });
}

const savings = new WeakMap<ArgumentStub, number>();

/** Returns the tokens of a call that an argument stub has saved already. */
function savedBy(step: AssistantStep, stub: ArgumentStub): number {
  if (isWholeStub(stub)) return Number.POSITIVE_INFINITY;
  return madeOnce(savings, stub, () => {
    const args = argumentsOf(callsOf(step)[stub.call]?.arguments);
    return argumentTokens(args) - argumentTokens(stubbed(args, stub));
  });
}

/** Returns the tokens of a call's arguments. */
export function argumentTokens(args: unknown): number {
  return rawEstimator.text(JSON.stringify(args) ?? "");
}

/** Returns the argument stubs of an answer when the large arguments of some of its calls leave too. */
export function stubsFor(
  context: PlanningContext,
  entry: AssistantEntry,
  leaving: ReadonlySet<number | undefined>,
): readonly ArgumentStub[] {
  const more = argumentsInView(context, entry)
    .filter(({ call }) => leaving.has(call))
    .map(({ call }) => stubOf(context, entry, call));
  // A stub of all large arguments replaces one of a part of them.
  const others = (entry.stubs ?? []).filter(({ call }) => !more.some((one) => one.call === call));
  return [...others, ...more].toSorted((a, b) => a.call - b.call);
}

/** Returns the argument stub of a call, with the versions that hold its texts as far as they are known. */
function stubOf(context: PlanningContext, entry: AssistantEntry, call: number): ArgumentStub {
  const id = context.answerAt(entry)?.toolcall_ids[call];
  const block = context.callAt({ ...entry, call });
  if (id === undefined || block === undefined) return { call };
  return { call, ...holder(context, context.epochs.textsOf?.(id, argumentsOf(block.arguments))) };
}

/** Returns what an argument stub records of the versions that hold texts; nothing if the pool does not have the file. */
export function holder(
  { input }: PlanningContext,
  held: HeldTexts | undefined,
): Pick<ArgumentStub, "of" | "version" | "before"> {
  const file = held === undefined ? undefined : input.pool.get(held.file);
  if (held === undefined || file === undefined) return {};
  return { of: file.handle, version: held.version, ...defined({ before: held.before }) };
}

function largeCallsOf(
  context: PlanningContext,
  step: AssistantStep,
  from: number,
): readonly LargeCall[] {
  const known = largeCalls.get(step);
  if (known?.from === from) return known.calls;
  const calls = callsOf(step).flatMap((call, index) => {
    const saves = isLargeWrite(context, call, from);
    return saves === undefined || saves <= 0 ? [] : [{ call: index, saves }];
  });
  largeCalls.set(step, { from, calls });
  return calls;
}

/**
 * Whether the arguments of an answer may change. Providers check that an answer with signed thinking is unchanged while
 * its turn continues. If the model binds its thinking, the thinking leaves together with the arguments.
 */
export function mayChange(
  context: PlanningContext,
  entry: AssistantEntry,
  step: AssistantStep,
): boolean {
  if (boundTo(context) !== undefined) return true;
  const isCurrent = entry.turn === context.input.turns.length - 1;
  return !isCurrent || !hasSignedThinking(step);
}
