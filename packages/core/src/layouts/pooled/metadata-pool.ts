import type { TokenEstimator } from "../../cost/token-estimator.ts";
import { poolLines } from "../../lines/notices.ts";
import { poolLine } from "../../render/reference-line.ts";
import type { LayoutInput } from "../../view/layout.ts";
import type { PoolEntry } from "../../view/pool-entry.ts";
import type { Rendered } from "./chat-messages.ts";

const poolTitle = poolLines.title.write();

/** A line of the pool with its tokens, kept for the entry that it was made from. */
interface KeptLine {
  readonly line: string;
  readonly tokens: number;
  readonly workspace: string;
  readonly estimator: TokenEstimator;
}

const keptLines = new WeakMap<PoolEntry, KeptLine>();

function keptLine(entry: PoolEntry, { workspace, estimator }: LayoutInput): KeptLine {
  const kept = keptLines.get(entry);
  if (kept?.workspace === workspace && kept.estimator === estimator) return kept;
  const line = poolLine(entry, workspace);
  const made = { line, tokens: estimator.text(`${line}\n`), workspace, estimator };
  keptLines.set(entry, made);
  return made;
}

/**
 * Share of a budget that is reserved for the list of known objects. The rest of the list comes after the active
 * content.
 */
const listShare = 0.2;

/** Returns how many tokens of the list are reserved before the active content is fitted. */
export function listRoom(input: LayoutInput): number {
  const { tokens } = wholePool(input);
  return input.budget === undefined
    ? tokens
    : Math.min(tokens, Math.floor(input.budget * listShare));
}

function wholePool(input: LayoutInput): Rendered & { readonly lines: readonly KeptLine[] } {
  const lines: KeptLine[] = [];
  for (const entry of input.pool.values()) lines.push(keptLine(entry, input));
  if (lines.length === 0) return { lines, messages: [], tokens: 0 };
  return { lines, ...poolMessage(lines, 0, input) };
}

/**
 * Returns the list of known objects that fits into the rest of the budget. The objects that joined first are left out
 * first.
 */
export function metadataPool(input: LayoutInput, spent: number): Rendered {
  const { lines, ...whole } = wholePool(input);
  if (lines.length === 0) return whole;
  if (input.budget === undefined || spent + whole.tokens <= input.budget) return whole;
  let start = 0;
  while (start < lines.length) {
    start += Math.max(1, Math.ceil((lines.length - start) * 0.2));
    const part = poolMessage(lines.slice(start), start, input);
    if (spent + part.tokens <= input.budget) return part;
  }
  return { messages: [], tokens: 0 };
}

function poolMessage(lines: readonly KeptLine[], omitted: number, input: LayoutInput): Rendered {
  const head = omitted === 0 ? poolTitle : `${poolTitle}\n${poolLines.notListed.write(omitted)}`;
  let text = head;
  let tokens = input.estimator.text(head) + 4;
  for (const line of lines) {
    text += `\n${line.line}`;
    tokens += line.tokens;
  }
  return { messages: [{ role: "user", content: [{ type: "text", text }] }], tokens };
}
