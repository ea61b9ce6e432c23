import type { ActivationPolicy } from "@self-context-manager/core";
import type { StoredRehearsal } from "@self-context-manager/core/rehearsal";

import type { Evidence } from "../measure/evidence.ts";

/** The last model call that quotes each object, known from the whole recording. */
export interface Hindsight {
  /** Whether the answer to this model call or a later one quotes an output, given by its object's id. */
  readonly needsResult: (id: string, call: number) => boolean;
  /** The same for the arguments of a tool call, given by its handle; small arguments are always needed. */
  readonly needsArguments: (handle: string, call: number) => boolean;
}

/**
 * What a policy would know that has seen the end. For every quotation, the newest object that contains it is needed
 * until the quotation. No other object is needed.
 */
export function hindsight(evidence: Evidence, stored: StoredRehearsal): Hindsight {
  const last = new Map<number, number>();
  for (const [call, grams] of evidence.uses) {
    for (const { holders, isOutput } of grams) {
      if (!isOutput) continue;
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
    else if (kind === "arguments") written.set(toolcall.handle, { until, first: call + 1 });
  }
  return {
    needsResult: (id, call) => (results.get(id) ?? -1) >= call,
    needsArguments(handle, call) {
      const known = written.get(handle);
      return known === undefined || known.until >= call || known.first >= call;
    },
  };
}

/** Every output is shown once; after that, only outputs that will be quoted are active. */
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
