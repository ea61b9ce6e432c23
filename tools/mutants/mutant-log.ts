import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What the processes of the tests write down, one line of JSON each, and read again. */
export type LogLine = { readonly file: string; readonly test: string } & (
  | {
      /** A mutant is tried. If nothing follows, the process ended. */
      readonly type: "try" | "survived";
      readonly id: number;
    }
  | { readonly type: "found"; readonly id: number; readonly by: "failure" | "time" | "end" }
  | {
      /**
       * `done`: a test has tried all mutants that it reaches. `slow`: it waits until the fast tests have tried theirs.
       * `spoilt`: a mutant left something behind in the process, so the rest of the file needs another one. `unsound`: a
       * test fails without any mutant.
       */
      readonly type: "done" | "slow" | "spoilt" | "unsound";
    }
);

export interface MutantLog {
  readonly write: (line: LogLine) => void;
  readonly read: () => readonly LogLine[];
}

export function mutantLog(folder: string): MutantLog {
  const file = join(folder, "log.jsonl");
  return {
    write: (line) => appendFileSync(file, `${JSON.stringify(line)}\n`),
    read: () => {
      if (!existsSync(file)) return [];
      const lines = readFileSync(file, "utf8").split("\n");
      return lines.filter((line) => line !== "").map((line): LogLine => JSON.parse(line));
    },
  };
}

/** The lines of the mutants that were found, by their numbers. */
export function foundIn(
  lines: readonly LogLine[],
): ReadonlyMap<number, Extract<LogLine, { type: "found" }>> {
  return new Map(lines.flatMap((line) => (line.type === "found" ? [[line.id, line]] : [])));
}

/** The tries after which nothing follows in the same file of tests. */
export function endedIn(
  lines: readonly LogLine[],
): readonly Extract<LogLine, { type: "try" | "survived" }>[] {
  const last = new Map(lines.map((line) => [line.file, line]));
  return [...last.values()].flatMap((line) => (line.type === "try" ? [line] : []));
}
