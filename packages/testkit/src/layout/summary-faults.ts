import type { ViewMessage } from "@self-context-manager/core";
import type { LayoutInput, ViewRecord } from "@self-context-manager/core/layout";

import { foldFaults } from "./fold-faults.ts";

/** Returns the short summary of each turn, by its index. */
export function summaryOfTurn(turn: number): string {
  return `Summary of turn ${turn + 1}.`;
}

/**
 * Returns what is wrong with a view that has summaries: a fold that names less with its summary or has that of another turn,
 * or a summary that is neither in a fold nor in the notice of turns that left.
 */
export function summaryFaults(
  record: ViewRecord,
  messages: readonly ViewMessage[],
  input: LayoutInput,
): readonly string[] {
  return record.entries.flatMap((entry, index) => {
    const found = summariesIn(messages[index]);
    if (entry.type === "notice") return [];
    if (entry.type !== "assistant" || entry.fold === undefined)
      return found.length === 0 ? [] : [`message ${index + 1} has a summary and no fold`];
    const own = `summary: ${summaryOfTurn(entry.turn)}`;
    const others = found.filter((one) => one !== summaryOfTurn(entry.turn));
    return [
      ...foldFaults(entry, record, input),
      ...others.map((one) => `the fold of turn ${entry.turn + 1} has ${one}`),
      ...(entry.fold.text.split("\n").filter((line) => line === own).length > 1
        ? [`the fold of turn ${entry.turn + 1} has its summary twice`]
        : []),
    ];
  });
}

function summariesIn(message: ViewMessage | undefined): readonly string[] {
  return JSON.stringify(message ?? "").match(/Summary of turn \d+\./gu) ?? [];
}
