import { shellWord } from "@self-context-manager/core/host";

import type { CommandCall } from "./command.ts";

/** A further command that can be typed as it is: with the store options of this call. */
export function nextCommand(call: Pick<CommandCall, "text">, ...words: readonly string[]): string {
  const store = ["store", "at"].flatMap((option) => {
    const given = call.text(option);
    return given === undefined ? [] : [`--${option}`, shellWord(given)];
  });
  return ["scm", ...words, ...store].join(" ");
}
