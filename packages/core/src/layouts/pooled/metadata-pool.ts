import type { TokenEstimator } from "../../cost/token-estimator.ts";
import { poolLines } from "../../lines/notices.ts";
import { filledShare } from "../../view/filled-share.ts";
import type { LayoutInput } from "../../view/layout.ts";
import type { Rendered } from "./chat-messages.ts";
import type { PoolLine } from "./pool-lines.ts";

const poolTitle = poolLines.title.write();

/** Tokens that a provider adds to the message. */
const perMessage = 4;

const keptTokens = new WeakMap<
  PoolLine,
  { readonly tokens: number; readonly estimator: TokenEstimator }
>();

function lineTokens(line: PoolLine, estimator: TokenEstimator): number {
  const kept = keptTokens.get(line);
  if (kept?.estimator === estimator) return kept.tokens;
  const tokens = estimator.text(`${line.text}\n`);
  keptTokens.set(line, { tokens, estimator });
  return tokens;
}

/** Share of a budget that is reserved for the list before contents that are neither pinned nor just activated. */
const listShare = 0.2;

/** The tokens that contents leave to the list of known objects. */
export interface ListRoom {
  /** Reserved before most contents: a share of the budget. */
  readonly usual: number;
  /** Reserved before a pinned content that is shown in part: the title and the notice of lines that are not listed. */
  readonly least: number;
  /** The tokens of all lines. */
  readonly whole: number;
}

/** Returns how many tokens contents leave to the list of known objects. */
export function listRoom(lines: readonly PoolLine[], input: LayoutInput): ListRoom {
  const { budget, estimator } = input;
  const whole = listTokens(lines, 0, estimator);
  const least = listTokens(lines, lines.length, estimator);
  const share = Math.floor((budget ?? Number.POSITIVE_INFINITY) * listShare);
  return { usual: Math.min(whole, share), least: Math.min(whole, least), whole };
}

/** The rendered list of known objects. */
export interface ListedPool extends Rendered {
  /** The number of lines at the beginning that are not listed. */
  readonly unlisted: number;
}

/**
 * Returns the list of known objects that fits into the rest of the budget. The oldest lines leave first, several at a
 * time, and do not return with the next calls, so that the beginning of the prompt changes rarely. `unlisted`: the number
 * of lines that the last view did not list.
 */
export function metadataPool(
  lines: readonly PoolLine[],
  unlisted: number,
  input: LayoutInput,
  spent: number,
): ListedPool {
  const { budget = Number.POSITIVE_INFINITY, estimator } = input;
  if (lines.length === 0) return { messages: [], tokens: 0, unlisted: 0 };
  const hasRoom = spent + listTokens(lines, 0, estimator) <= budget * filledShare;
  let start = hasRoom ? 0 : Math.min(unlisted, lines.length);
  let tokens = listTokens(lines, start, estimator);
  while (spent + tokens > budget) {
    if (start === lines.length) return { messages: [], tokens: 0, unlisted: start };
    start += Math.ceil((lines.length - start) * 0.2);
    tokens = listTokens(lines, start, estimator);
  }
  const text = [titleOf(start), ...lines.slice(start).map((line) => line.text)].join("\n");
  const content = [{ type: "text" as const, text }];
  return { messages: [{ role: "user", content }], tokens, unlisted: start };
}

function listTokens(lines: readonly PoolLine[], start: number, estimator: TokenEstimator): number {
  let tokens = estimator.text(titleOf(start)) + perMessage;
  for (let index = start; index < lines.length; index += 1) {
    const line = lines[index];
    if (line !== undefined) tokens += lineTokens(line, estimator);
  }
  return tokens;
}

function titleOf(unlisted: number): string {
  return unlisted === 0 ? poolTitle : `${poolTitle}\n${poolLines.notListed.write(unlisted)}`;
}
