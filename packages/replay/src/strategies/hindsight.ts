import type { ActivationPolicy, StoredRehearsal } from "@self-context-manager/core";

import type { Evidence } from "../measure/evidence.ts";

/** Until which model call each object is quoted, known from the whole recording. */
export interface Hindsight {
  /** Whether an output, by its object's id, is quoted in the answer to a model call or later. */
  readonly needsResult: (id: string, call: number) => boolean;
  /** The same of the arguments of a call, by the call's handle; small ones are always needed. */
  readonly needsArguments: (handle: string, call: number) => boolean;
}

/**
 * What a policy would know that has seen the end: of every quotation the newest object that holds it is needed until
 * then. Nothing else is.
 */
export function hindsight(evidence: Evidence, stored: StoredRehearsal): Hindsight {
  const last = new Map<number, number>();
  for (const [call, grams] of evidence.uses) {
    for (const { holders } of grams) {
      const newest = holders.reduce((most, { object }) => Math.max(most, object), -1);
      last.set(newest, Math.max(call, last.get(newest) ?? -1));
    }
  }
  const results = new Map<string, number>();
  const written = new Map<string, { readonly until: number; readonly first: number }>();
  const byCall = new Map(stored.toolcalls.map((one) => [one.callId, one]));
  for (const [number, { kind, callId, call }] of evidence.objects.entries()) {
    const toolcall = byCall.get(callId);
    if (toolcall === undefined) continue;
    const until = last.get(number) ?? -1;
    if (kind === "result") results.set(toolcall.id, until);
    else written.set(toolcall.handle, { until, first: call + 1 });
  }
  return {
    needsResult: (id, call) => (results.get(id) ?? -1) >= call,
    needsArguments(handle, call) {
      const known = written.get(handle);
      return known === undefined || known.until >= call || known.first >= call;
    },
  };
}

/** Every output is seen once; after that only what will be quoted is active. */
export function hindsightPolicy({ needsResult }: Hindsight): ActivationPolicy {
  let call = -1;
  let seen = new Set<string>();
  return {
    name: "hindsight",
    leaving({ candidates }) {
      call += 1;
      const leaving = candidates.filter(({ id }) => seen.has(id) && !needsResult(id, call));
      seen = new Set(candidates.map(({ id }) => id));
      return leaving.map(({ id }) => id);
    },
    keepsArguments: () => () => true,
    staysAtSweep: () => () => true,
  };
}
