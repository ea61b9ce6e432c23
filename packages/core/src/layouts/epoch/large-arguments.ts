import { isReference } from "@self-context-manager/objects";
import { isLargeWrite } from "../../calls/large-write.ts";
import { hasSignedThinking } from "../../chat/signed-thinking.ts";
import { type AssistantStep, callsOf, isAssistantStep } from "../../chat/turn.ts";
import { argumentsKey, type UseKey } from "../../policy/activation-policy.ts";
import type { ArgumentStub, AssistantEntry } from "../../view/view-entry.ts";
import { boundTo } from "./bound-thinking.ts";
import type { PlanningContext } from "./planning-context.ts";

/** Large arguments in view that can leave. */
export interface LargeArguments {
  readonly key: UseKey;
  readonly stub: ArgumentStub;
  /** Tokens that leave the view with them. */
  readonly saves: number;
}

interface LargeCall {
  readonly call: number;
  readonly saves: number;
}

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
  const step = context.input.turns[entry.turn]?.steps[entry.step];
  if (from === undefined || step === undefined || !isAssistantStep(step)) return none;
  const large = largeCallsOf(context, step, from);
  if (large.length === 0 || !mayChange(context, entry, step)) return none;
  return large.flatMap(({ call, saves }) => {
    if (entry.stubs?.some((stub) => stub.call === call) === true) return [];
    const id = step.toolcall_ids[call];
    const known = id === undefined ? undefined : context.input.pool.get(id);
    if (known === undefined) return [];
    const stub = { call, ...fileOf(context, known.stored.body["file_refs"]) };
    return [{ key: argumentsKey(known.handle), stub, saves }];
  });
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
function mayChange(context: PlanningContext, entry: AssistantEntry, step: AssistantStep): boolean {
  if (context.settings.argumentsBesideSignedThinking || boundTo(context) !== undefined) return true;
  const isCurrent = entry.turn === context.input.turns.length - 1;
  return !isCurrent || !hasSignedThinking(step);
}

function fileOf(context: PlanningContext, references: unknown): { of?: string; version?: number } {
  if (!Array.isArray(references)) return {};
  for (const reference of references) {
    const file = isReference(reference) ? context.input.pool.get(reference.id) : undefined;
    if (file !== undefined) return { of: file.handle, version: file.stored.version };
  }
  return {};
}
