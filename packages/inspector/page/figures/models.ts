import type { TimelineCall } from "@self-context-manager/core/inspect";

/** A model of a session. */
export interface ModelUse {
  readonly model: string;
  /** The calls from which it was used, after another model or at first. */
  readonly from: readonly number[];
}

/** The models of a session, the first used one first. A call without a model changes nothing. */
export function modelsOf(calls: readonly TimelineCall[]): readonly ModelUse[] {
  const uses = new Map<string, number[]>();
  let now: string | undefined;
  for (const { call, model } of calls) {
    if (model === undefined || model === now) continue;
    now = model;
    const from = uses.get(model);
    if (from === undefined) uses.set(model, [call]);
    else from.push(call);
  }
  return [...uses].map(([model, from]) => ({ model, from }));
}

/** Calls that a sentence names of each model. */
const mostNamed = 5;

/** From which calls on a model was used, as words: `from call 1, 180 and 205`. */
export function fromCalls(from: readonly number[]): string {
  const named = from.slice(0, mostNamed).map(String);
  const rest = from.length - named.length;
  const all = rest > 0 ? [...named, `${rest} more`] : named;
  const list = all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
  return `from call ${list}`;
}
