import { type ExportOptions, exportObjects, messageOf } from "@self-context-manager/objects";
import type { ObjectStore } from "@self-context-manager/core";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";

import { CliError, UsageError } from "../cli-errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { counted } from "../format/amounts.ts";
import { visible } from "../format/terminal-text.ts";

/** The number of characters that are collected for one write. */
const batchSize = 64 * 1024;

export const exportCommand: Command = {
  name: "export",
  summary: "write all versions of all objects as JSON Lines",
  arguments: "[FILE]",
  argumentCount: { least: 0, most: 1 },
  options: {
    force: { help: "overwrite FILE if it exists" },
    since: { value: "TX", help: "only what came after this transaction" },
  },
  notes: `Without FILE, or with -, the export goes to standard output. FILE is written completely or not at all.
A version is written as its change against an earlier line where that is shorter;
docs/architecture/export-format.md describes the lines. With --since, importing FILE needs a store
that has the earlier versions, for example from an earlier export. TX is a tx_id, such as the last
one in that export.
Versions that cannot be read or do not match their hashes are named, and FILE says that they are
lost. All others are written, and the exit code is 1.`,
  async run(call) {
    const [given = "-"] = call.arguments;
    const path = given === "-" ? undefined : resolve(call.folder, given);
    if (path !== undefined && !call.isSet("force") && (await isThere(path))) {
      throw new CliError(
        `${path} exists already; choose another name, or overwrite it with --force`,
      );
    }
    const lost: string[] = [];
    let lostLines = 0;
    const options: ExportOptions = {
      since: transactionNumber(call.text("since")),
      onLost: (problem, version) => {
        lost.push(problem);
        if (version !== undefined) lostLines += 1;
      },
    };
    await using store = await call.openStore({ patient: true, readsOnce: true });
    if (path === undefined) {
      await writeLines(store, async (text) => await call.print(text), options);
    } else {
      using progress = call.progress("exporting");
      const lines = await writeFile(store, path, {
        ...options,
        progress: (done, all) => progress.come(done / all, done),
      });
      progress[Symbol.dispose]();
      call.note(`exported ${counted(lines - lostLines, "version")} to ${path}`);
    }
    failLost(lost, call);
  },
};

/** Returns the number of a transaction as an option gives it; 0 without the option. */
function transactionNumber(given: string | undefined): number {
  if (given === undefined) return 0;
  if (/^(?:tx:)?\d{1,15}$/u.test(given)) return Number(given.replace("tx:", ""));
  throw new UsageError(
    `--since ${JSON.stringify(given)} is no transaction; give the tx_id of a line, such as 812`,
  );
}

/** Names the versions that are not in the export, and fails if there are any. */
function failLost(lost: readonly string[], call: CommandCall): void {
  if (lost.length === 0) return;
  for (const problem of lost) call.note(visible(problem));
  throw new CliError(
    `${counted(lost.length, "version")} could not be exported (listed above); the export has all others. ` +
      "Run scm doctor to see what else is damaged and what can be restored",
  );
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    // A path with another fault fails when it is opened for writing, with a better message.
    return false;
  }
}

async function writeFile(
  store: ObjectStore,
  path: string,
  options: ExportOptions,
): Promise<number> {
  const partial = `${path}.${process.pid}.partial`;
  const file = await openForWriting(partial, path);
  try {
    const versions = await writeLines(store, async (text) => await file.writeFile(text), options);
    await file.sync();
    await file.close();
    await rename(partial, path);
    return versions;
  } catch (error) {
    await file.close();
    await rm(partial, { force: true });
    if (error instanceof Error && "syscall" in error) {
      throw new CliError(
        `${path} cannot be written (${error.message}); the partial file was removed`,
        {
          cause: error,
        },
      );
    }
    throw error;
  }
}

async function openForWriting(partial: string, path: string): Promise<FileHandle> {
  try {
    return await open(partial, "wx", 0o600);
  } catch (cause) {
    throw new CliError(
      `${path} cannot be written (${messageOf(cause)}); choose a file in a writable folder`,
      { cause },
    );
  }
}

/** Writes the export in batches and returns the number of lines after the header. */
async function writeLines(
  store: ObjectStore,
  write: (text: string) => Promise<void>,
  options: ExportOptions,
): Promise<number> {
  let batch = "";
  let lines = 0;
  for await (const line of exportObjects(store, options)) {
    batch += line;
    lines += 1;
    if (batch.length < batchSize) continue;
    await write(batch);
    batch = "";
  }
  await write(batch);
  return lines - 1;
}
