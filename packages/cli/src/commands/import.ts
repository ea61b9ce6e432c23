import { importObjects } from "@self-context-manager/core";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";

import { CliError } from "../cli-errors.ts";
import type { Command } from "../command.ts";
import { counted } from "../format/amounts.ts";
import { progress } from "../format/progress.ts";
import { readLines } from "../read-lines.ts";

export const importCommand: Command = {
  name: "import",
  summary: "take in what scm export wrote; what is there already is passed over",
  arguments: "FILE",
  argumentCount: { least: 1, most: 1 },
  options: {},
  notes: `With - in place of FILE it comes from standard input. Every hash is checked. The store is made where none is;
with --store memory nothing is kept, which only checks FILE.`,
  async run(call) {
    const [given = "-"] = call.arguments;
    const path = given === "-" ? undefined : resolve(call.folder, given);
    const bytes: AsyncIterable<Uint8Array> =
      path === undefined ? call.stdin : createReadStream(path);
    const size = path === undefined ? undefined : await sizeOf(path);
    let taken = 0;
    const lines = readLines(counting(bytes, (length) => (taken += length)));
    try {
      const ahead = await firstLine(lines, path ?? "standard input");
      await using store = await call.openStore({ create: true });
      const told = progress((line) => call.note(line));
      const { read, added } = await importObjects(store, ahead, {
        progress: (done) => told.come(size === undefined ? undefined : taken / size, done.read),
      });
      const known = read - added;
      await call.print(
        `imported ${counted(added, "version")}; ${known} ${known === 1 ? "was" : "were"} there already\n`,
      );
    } finally {
      // Lets go of an input that goes on where something else failed.
      await lines.return(undefined);
    }
  },
};

/** Hands on bytes, and tells how many. */
async function* counting(
  bytes: AsyncIterable<Uint8Array>,
  count: (length: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    count(chunk.length);
    yield chunk;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const { size } = await stat(path);
    return size > 0 ? size : undefined;
  } catch {
    // What is wrong with the path, reading it says.
    return undefined;
  }
}

/** Reads the first line before the store is opened, so that a file that cannot be read makes no store. */
async function firstLine(
  lines: AsyncGenerator<string>,
  name: string,
): Promise<AsyncIterable<string>> {
  try {
    const first = await lines.next();
    return (async function* joined() {
      if (first.done === true) return;
      yield first.value;
      yield* lines;
    })();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(`${name} cannot be read (${reason}); give a file that scm export wrote`, {
      cause,
    });
  }
}
