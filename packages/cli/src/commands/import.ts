import { importObjects, readExportHeader, verifyImport } from "@self-context-manager/core";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";

import { CliError, UsageError } from "../cli-errors.ts";
import type { Command } from "../command.ts";
import { counted } from "../format/amounts.ts";
import { visible } from "../format/object-name.ts";
import { readLines } from "../read-lines.ts";

export const importCommand: Command = {
  name: "import",
  summary: "take in what scm export wrote; what is there already is passed over",
  arguments: "FILE",
  argumentCount: { least: 1, most: 1 },
  options: {
    verify: { type: "boolean", help: "read each version back afterwards and compare it with FILE" },
  },
  notes: `With - in place of FILE it comes from standard input. Every hash is checked. An import that was stopped is run
again, and goes on where it was. The store is made where none is; with --store memory nothing is kept, which only
checks FILE.`,
  async run(call) {
    const [given = "-"] = call.arguments;
    const path = given === "-" ? undefined : resolve(call.folder, given);
    const isVerified = call.isSet("verify");
    if (isVerified && path === undefined)
      throw new UsageError("--verify reads FILE twice; give a file in place of -");
    const source = await exportAt(path, call.stdin);
    try {
      const ahead = await firstLine(source.lines, path ?? "standard input");
      await using store = await call.openStore({ create: true, patient: true });
      using progress = call.progress("importing");
      const { read, added, objects } = await importObjects(store, ahead, {
        progress: (done) => progress.come(source.share(), done.read),
      });
      progress[Symbol.dispose]();
      const known = read - added;
      await call.print(
        `imported ${counted(added, "version")} into ${visible(call.storePlace())}; ${known} ${known === 1 ? "was" : "were"} there already; ` +
          `${counted(objects, "object")} in all\n`,
      );
      if (!isVerified || path === undefined) return;
      const again = await exportAt(path, call.stdin);
      using checked = call.progress("verifying");
      const verified = await verifyImport(store, again.lines, {
        progress: (versions) => checked.come(again.share(), versions),
      });
      checked[Symbol.dispose]();
      await call.print(
        `verified ${counted(verified.versions, "version")} of ${counted(verified.objects, "object")}: ` +
          "each reads back with its hashes\n",
      );
    } finally {
      // Lets go of an input that goes on where something else failed.
      await source.lines.return(undefined);
    }
  },
};

/** The lines of an export, and how much of it has been read, where its size is known. */
interface ExportSource {
  readonly lines: AsyncGenerator<string>;
  share(): number | undefined;
}

async function exportAt(
  path: string | undefined,
  stdin: AsyncIterable<Uint8Array>,
): Promise<ExportSource> {
  const size = path === undefined ? undefined : await sizeOf(path);
  const bytes = path === undefined ? stdin : createReadStream(path);
  let taken = 0;
  return {
    lines: readLines(counting(bytes, (length) => (taken += length))),
    share: () => (size === undefined ? undefined : taken / size),
  };
}

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

/** Checks the first line before the store is opened, so that a file that is no export makes no store. */
async function firstLine(
  lines: AsyncGenerator<string>,
  name: string,
): Promise<AsyncIterable<string>> {
  let first: IteratorResult<string>;
  try {
    first = await lines.next();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(`${name} cannot be read (${reason}); give a file that scm export wrote`, {
      cause,
    });
  }
  if (first.done === true)
    throw new CliError(`${name} is empty; give a file that scm export wrote`);
  const line = first.value;
  readExportHeader(line.trim());
  return (async function* joined() {
    yield line;
    yield* lines;
  })();
}
