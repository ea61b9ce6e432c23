import type { Fact, Move, Task } from "../model/task.ts";
import { namedFacts } from "../tasks/placeholders.ts";

/** Returns the facts that the texts of a move contain as `{{id}}`, each once. */
export function factsOf(move: Move, task: Task): readonly Fact[] {
  const texts = Object.values(move).join("\n");
  const ids = namedFacts(texts);
  return task.facts.filter(({ id }) => ids.has(id));
}

/** Whether a text has all lines of another one, which can be at several places: a file can be shown in parts. */
export function showsLines(text: string, wanted: string): boolean {
  if (text.includes(wanted)) return true;
  const lines = wanted.split("\n").map((line) => line.trim());
  const there = new Set(text.split("\n").map((line) => line.trim()));
  // The first and the last line can begin or end within a line of the file.
  return lines.every(
    (line, index) =>
      there.has(line) ||
      ((index === 0 || index === lines.length - 1) && line !== "" && text.includes(line)),
  );
}
