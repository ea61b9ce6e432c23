import { appendFileSync } from "node:fs";
import { mkdir, truncate } from "node:fs/promises";
import { join } from "node:path";

import type { Spending } from "../meter/spending.ts";
import { readResultText, unreadableFile } from "./result-files.ts";

/** The money that an evaluation has spent, in a file, so that it counts also after the process was killed. */
export interface Ledger {
  /** Dollars of all sittings before this one. A call that did not end counts with the most that it could cost. */
  readonly spent: number;
  /** Writes one line before it returns. */
  readonly write: (spending: Spending) => void;
}

/** Opens the ledger of a folder of results, `spent.jsonl`. */
export async function openLedger(folder: string): Promise<Ledger> {
  const path = join(folder, "spent.jsonl");
  await mkdir(folder, { recursive: true });
  const text = (await readResultText(path)) ?? "";
  // The last line can be cut off if the machine stopped. What it began with is in the line before it.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) await truncate(path, Buffer.byteLength(whole));
  return {
    spent: sumOf(linesIn(whole, path)),
    write: (spending) => appendFileSync(path, `${JSON.stringify(spending)}\n`),
  };
}

function linesIn(text: string, path: string): readonly Spending[] {
  try {
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line): Spending => JSON.parse(line));
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
}

function sumOf(lines: readonly Spending[]): number {
  const costs = new Map<string, number>();
  let ended = 0;
  for (const line of lines) {
    if ("bound" in line) costs.set(line.call, line.bound);
    else {
      costs.delete(line.call);
      ended += line.dollars;
    }
  }
  return [...costs.values()].reduce((all, one) => all + one, ended);
}
