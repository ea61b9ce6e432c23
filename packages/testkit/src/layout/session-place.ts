import { fileNames, type Versions } from "./session-objects.ts";
import type { SessionNow } from "./session-state.ts";

/** Where a session lives: what is stored, what stands on disk, and what was before each turn. */
export interface SessionPlace {
  readonly versions: Versions;
  readonly disk: Map<string, string | null>;
  /** How many calls and messages there were; nothing is ever numbered twice. */
  calls: number;
  times: number;
  readonly beforeTurns: SessionNow[];
}

export function sessionPlace(): SessionPlace {
  const disk = fileNames.map((_, index): [string, string | null] => [
    `f${index + 1}`,
    // One of them is no text.
    index === 3 ? null : Array.from({ length: 12 }, (__, n) => `${index}.${n} text\n`).join(""),
  ]);
  return { versions: new Map(), disk: new Map(disk), calls: 0, times: 0, beforeTurns: [] };
}
