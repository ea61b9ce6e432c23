import { fileNames, type Versions } from "./session-objects.ts";
import type { SessionNow } from "./session-state.ts";

/**
 * The surroundings of a session: the stored versions, the files on disk, and the session's state before each turn.
 */
export interface SessionPlace {
  readonly versions: Versions;
  readonly disk: Map<string, string | null>;
  /** The numbers of tool calls, user objects, messages and views made up to now. No number is used twice. */
  calls: number;
  parts: number;
  times: number;
  views: number;
  readonly beforeTurns: SessionNow[];
}

export function sessionPlace(): SessionPlace {
  const disk = fileNames.map((_, index): [string, string | null] => [
    `f${index + 1}`,
    // One of the files is not text.
    index === 3 ? null : Array.from({ length: 12 }, (__, n) => `${index}.${n} text\n`).join(""),
  ]);
  return {
    versions: new Map(),
    disk: new Map(disk),
    calls: 0,
    parts: 0,
    times: 0,
    views: 0,
    beforeTurns: [],
  };
}
