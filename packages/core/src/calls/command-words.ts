import { shellPipelines } from "./shell-commands.ts";

/**
 * Returns the words of a command line that may name a file: names, arguments, values of options and variables, and the
 * files of redirections, also for commands in substitutions. Words of here-documents and comments are not included.
 */
export function commandWords(line: string): readonly string[] {
  const words = shellPipelines(line)
    .flat()
    .flatMap((command) => [
      ...command.words,
      ...(command.inputs ?? []),
      ...command.outputs,
      ...(command.errorOutputs ?? []),
    ]);
  return words.flatMap((word) => {
    const inner = substituted(word);
    if (inner.length > 0) return inner.flatMap(commandWords);
    const value = word.replace(beforeValue, "");
    // A file can have `=` in its name.
    return value === word ? [word] : [word, value];
  });
}

/** Matches `--option=` or `VARIABLE=` before a value. */
const beforeValue = /^(?:--?\w[\w-]*|\w+)=/u;

/** Returns the command lines that are substituted into a word. */
function substituted(word: string): readonly string[] {
  return [...word.matchAll(/[$<>]\(([^]+)\)|`([^`]+)`/gu)].map(
    ([, bracketed, quoted]) => bracketed ?? quoted ?? "",
  );
}
