import type { CommandCall } from "./command.ts";

/** A command to go on with, as it can be typed: with the store that this call was given. */
export function nextCommand(call: Pick<CommandCall, "text">, ...words: readonly string[]): string {
  const store = ["store", "at"].flatMap((option) => {
    const given = call.text(option);
    return given === undefined ? [] : [`--${option}`, quoted(given)];
  });
  return ["scm", ...words, ...store].join(" ");
}

/** A word of a shell's command line. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
