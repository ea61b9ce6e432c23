import type { Move } from "../model/task.ts";

const placeholder = /\{\{([\w-]+)\}\}/gu;

/** Returns the ids of facts that a text names as `{{id}}`, each once. */
export function namedFacts(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(placeholder)].map(([, id = ""]) => id));
}

/** Returns a move with values in the places of `{{id}}`. One without a value stays as it is. */
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
