import type { ObjectStore } from "@self-context-manager/core";
import { type RebuiltView, viewHistory } from "@self-context-manager/core/inspect";
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

function promptsOf(view: RebuiltView | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries((view?.systemPrompts ?? []).map(({ origin, text }) => [origin, text]));
}
