import { type CallView, type OwnCall, promptTokens } from "../measure/call-view.ts";
import { countTokens, prefixTokens } from "../measure/tokens.ts";
import type { RecordedMessage } from "../read/recorded-session.ts";
import { summaryTokens } from "./message-counter.ts";
import type { RunHooks } from "./session-run.ts";

/** The prompt length above which a host summarises, and the tokens at the end that it keeps. */
export interface CompactionSettings {
  readonly over: number;
  readonly keeps: number;
  /** Whether the provider itself writes the summary, in the request that is too long, and so reads its cache; default: false. */
  readonly isProviders?: true;
}

interface Row {
  readonly tokens: number;
  /** The position of the row in the chat; step -1 is a user message. */
  readonly turn: number;
  readonly step: number;
  readonly isResult: boolean;
}

/**
 * A host that summarises. Once a prompt exceeds the limit, a summary replaces everything except the newest messages;
 * the cut is before an assistant or user message. The call that writes the summary is billed.
 */
export function compactionHooks(
  rows: readonly RecordedMessage[],
  { over, keeps, isProviders }: CompactionSettings,
): RunHooks {
  const { placed, before } = placeRows(rows);
  let from = 0;
  let call = -1;
  let count = 0;
  let asked = 0;
  return {
    before(rehearsal, former) {
      call += 1;
      const end = before[call] ?? placed.length;
      asked = Math.max(
        asked,
        extraTokens(former, placed.slice(from, before[call - 1] ?? 0), count),
      );
      const live = placed.slice(from, end).reduce((sum, { tokens }) => sum + tokens, 0);
      const summary = count === 0 ? 0 : summaryTokens;
      if (prefixTokens + summary + live + asked <= over) return none;
      const cut = cutAt(placed, from, end, keeps);
      const kept = placed[cut];
      if (cut === from || kept === undefined) return none;
      const replaced = placed.slice(from, cut).reduce((sum, { tokens }) => sum + tokens, 0);
      const input = summary + replaced + asked;
      from = cut;
      count += 1;
      asked = 0;
      rehearsal.summarise({ text: `summary ${count}`, from: { turn: kept.turn, step: kept.step } });
      if (isProviders === true)
        return [{ input: 0, cached: prefixTokens + input, output: summaryTokens }];
      return [{ input, output: summaryTokens }];
    },
  };
}

/** The tokens of the previous prompt that are not from the chat: the outputs that were asked for. */
function extraTokens(former: CallView | undefined, rows: readonly Row[], count: number): number {
  if (former === undefined) return 0;
  const chat = rows.reduce((sum, { tokens }) => sum + tokens, prefixTokens);
  return Math.max(0, promptTokens(former) - chat - (count === 0 ? 0 : summaryTokens));
}

function cutAt(placed: readonly Row[], from: number, end: number, keeps: number): number {
  let cut = end;
  let kept = 0;
  while (cut > from) {
    kept += placed[cut - 1]?.tokens ?? 0;
    if (kept > keeps) break;
    cut -= 1;
  }
  while (cut < end && placed[cut]?.isResult === true) cut += 1;
  return cut;
}

function placeRows(rows: readonly RecordedMessage[]): {
  readonly placed: readonly Row[];
  /** The number of rows before each model call. */
  readonly before: readonly number[];
} {
  const placed: Row[] = [];
  const before: number[] = [];
  let turn = -1;
  let step = -1;
  for (const row of rows) {
    if (row.role === "system") continue;
    if (row.role === "user") {
      turn += 1;
      step = -1;
    }
    if (row.role === "assistant") {
      before.push(placed.length);
      turn = Math.max(0, turn);
      step += 1;
    }
    placed.push({ tokens: countTokens(row), turn, step, isResult: row.role === "toolResult" });
  }
  return { placed, before };
}

const none: readonly OwnCall[] = [];
