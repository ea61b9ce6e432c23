import {
  importObjects,
  messageOf,
  readExportHeader,
  verifyImport,
} from "@self-context-manager/objects";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";

import { CliError, UsageError } from "../cli-errors.ts";
import type { Command } from "../command.ts";
import { counted } from "../format/amounts.ts";
import { visible } from "../format/terminal-text.ts";
import { readLines } from "../read-lines.ts";

export const importCommand: Command = {
  name: "import",
  summary:
    "import a file that scm export wrote; versions that are already in the store are skipped",
  arguments: "FILE",
  argumentCount: { least: 1, most: 1 },
  options: {
    verify: { help: "read each version back afterwards and compare it with FILE" },
  },
  notes: `With - instead of FILE, the export is read from standard input. Every hash is checked. After an
interruption, run the import again; it continues where it stopped. The store is created if it does not
exist. With --store memory nothing is stored, so the command only checks FILE.`,
  async run(call) {
    const [given = "-"] = call.arguments;
    const path = given === "-" ? undefined : resolve(call.folder, given);
    const isVerified = call.isSet("verify");
    if (isVerified && path === undefined)
      throw new UsageError("--verify reads FILE twice; give a file instead of -");
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
        `imported ${counted(added, "version")} into ${visible(call.storePlace())}; ${known} ${known === 1 ? "was" : "were"} already in the store; ` +
          `${counted(objects, "object")} in total\n`,
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
          "all hashes match\n",
      );
    } finally {
      // Closes the input after a failure, because it could continue without end.
      await source.lines.return(undefined);
    }
  },
};

/** The lines of an export, and the share of it that has been read, if its size is known. */
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

/** Passes bytes on and reports their number. */
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
    // A path with a fault fails when it is read, with a better message.
    return undefined;
  }
}

/** Checks the first line before the store is opened, so that a wrong file does not create a store. */
async function firstLine(
  lines: AsyncGenerator<string>,
  name: string,
): Promise<AsyncIterable<string>> {
  let first: IteratorResult<string>;
  try {
    first = await lines.next();
  } catch (cause) {
    throw new CliError(
      `${name} cannot be read (${messageOf(cause)}); give a file that scm export wrote`,
      { cause },
    );
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
