import type { CommandCall } from "../command.ts";
import { readLines } from "../read-lines.ts";

/** The lines of standard input, which is only read if a line is needed. */
export interface InputLines extends AsyncDisposable {
  /** Returns the next line without its end; empty after the last one. */
  next(): Promise<string>;
  /** Returns the text that is to be forgotten: a line of a person, or else all that is there. */
  text(): Promise<string>;
}

/** Returns the lines of the standard input of a command. */
export function linesOf(call: CommandCall): InputLines {
  let lines: AsyncGenerator<string> | undefined;
  const next = async (): Promise<string | undefined> => {
    lines ??= readLines(call.stdin);
    const { value } = await lines.next();
    return typeof value === "string" ? value.replace(/\r$/u, "") : undefined;
  };
  return {
    next: async () => (await next()) ?? "",
    async text() {
      if (call.canAsk) {
        call.note("Paste the text and press Enter. Nothing is changed before you confirm it.");
        return (await next()) ?? "";
      }
      const all: string[] = [];
      for (let line = await next(); line !== undefined; line = await next()) all.push(line);
      return all.join("\n").trimEnd();
    },
    async [Symbol.asyncDispose]() {
      await lines?.return(undefined);
    },
  };
}
