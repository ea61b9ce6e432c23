import type { ObjectStore } from "@self-context-manager/core";
import { type RebuiltView, timelineReader, viewHistory } from "@self-context-manager/core/inspect";
import { isDeepStrictEqual } from "node:util";

import { testHost } from "./core-sessions.ts";
import { type HandedOver, recordedLayouts } from "./recorded-views.ts";

/** Rebuilds every call, alone and in order. Returns the differences from the copies that were made when the views were sent. */
export async function viewDifferences(
  store: ObjectStore,
  calls: ReadonlyMap<number, HandedOver>,
): Promise<readonly string[]> {
  const history = await viewHistory(store, recordedLayouts, testHost);
  const found: string[] = [];
  const differs = (what: string, is: unknown, wanted: unknown): void => {
    if (!isDeepStrictEqual(is, wanted))
      found.push(`${what} is ${JSON.stringify(is)}, expected ${JSON.stringify(wanted)}`);
  };
  const last = Math.max(...calls.keys());
  differs("the number of calls", history?.count, last);
  found.push(...(await timelineDifferences(store, last)));
  const verified = new Map<number, RebuiltView>();
  for await (const view of history?.verify() ?? []) verified.set(view.call, view);
  differs("the number of verified calls", verified.size, last);
  for (const [call, handedOver] of calls) {
    const view = await history?.rebuild(call);
    if (!isDeepStrictEqual(verified.get(call), view))
      found.push(`call ${call} is rebuilt otherwise if all calls are verified in order`);
    differs(`call ${call}: problems`, view?.problems, []);
    differs(`call ${call}: verified`, view?.isVerified, true);
    differs(`call ${call}: messages`, JSON.stringify(view?.messages), handedOver.messages);
    differs(`call ${call}: prompts`, promptsOf(view), handedOver.prompts);
    if (view?.layout === "epoch")
      differs(`call ${call}: entries`, view.entries.length, view.messages.length);
  }
  differs("a call before the first", await history?.rebuild(0), undefined);
  differs("a call after the last", await history?.rebuild(last + 1), undefined);
  return found;
}

/** Reads the timeline. Returns its problems, and the calls whose parts do not add up to their tokens. */
async function timelineDifferences(store: ObjectStore, last: number): Promise<readonly string[]> {
  const timeline = await timelineReader(store, recordedLayouts).read(testHost);
  const { parts = [], calls = [] } = timeline ?? {};
  const found: string[] = [];
  if (calls.length !== last) found.push(`the timeline has ${calls.length} calls, not ${last}`);
  const tokens = new Map<number, number>();
  for (const { call, changes, tokens: expected, problem } of calls) {
    if (problem !== undefined) found.push(`call ${call} in the timeline: ${problem}`);
    for (const [part, count] of changes) tokens.set(part, count);
    const counts = [...tokens].map(([part, count]) => (parts[part]?.kind === "system" ? 0 : count));
    const sum = counts.reduce((total, count) => total + count, 0);
    if (sum !== expected) found.push(`the parts of call ${call} have ${sum} of ${expected} tokens`);
  }
  for (const { kind, handle, id, name } of parts)
    if (name === "" || (handle !== undefined && id === undefined))
      found.push(`a part of the timeline has no object: ${kind} ${handle}`);
  return found;
}

function promptsOf(view: RebuiltView | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries((view?.systemPrompts ?? []).map(({ origin, text }) => [origin, text]));
}
