import type { Fact, Move, Task } from "../model/task.ts";

const placeholder = /\{\{([^{}]+)\}\}/gu;

/** Returns the facts that the texts of a move contain as `{{id}}`, each once. */
export function factsOf(move: Move, task: Task): readonly Fact[] {
  const texts = Object.values(move).join("\n");
  const ids = new Set([...texts.matchAll(placeholder)].map(([, id = ""]) => id));
  return task.facts.filter(({ id }) => ids.has(id));
}

/** Returns a move with values for its placeholders. One without a value stays as it is. */
export function filled(move: Move, valueOf: (id: string) => string | undefined): Move {
  const text = (given: string): string =>
    given.replaceAll(placeholder, (all, id: string) => valueOf(id) ?? all);
  switch (move.type) {
    case "read":
      return { ...move, path: text(move.path) };
    case "write":
      return { ...move, path: text(move.path), content: text(move.content) };
    case "edit":
      return {
        ...move,
        path: text(move.path),
        oldText: text(move.oldText),
        newText: text(move.newText),
      };
    case "run":
      return { ...move, command: text(move.command) };
    case "answer":
      return { ...move, text: text(move.text) };
  }
}

/** Returns the values of a fact in a text, in the order of the text. The last one is the value. */
export function valuesIn(text: string, { pattern }: Fact): readonly string[] {
  return [...text.matchAll(new RegExp(pattern, "gmu"))].flatMap(([, value]) => value ?? []);
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
