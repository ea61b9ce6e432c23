import { exportObjects, messageOf } from "@self-context-manager/objects";
import type { ObjectStore } from "@self-context-manager/core";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";

import { CliError } from "../cli-errors.ts";
import type { Command } from "../command.ts";
import { counted } from "../format/amounts.ts";
import type { Progress } from "../format/progress.ts";

/** The number of characters that are collected for one write. */
const batchSize = 64 * 1024;

export const exportCommand: Command = {
  name: "export",
  summary: "write all versions of all objects as JSON Lines",
  arguments: "[FILE]",
  argumentCount: { least: 0, most: 1 },
  options: { force: { help: "overwrite FILE if it exists" } },
  notes:
    "Without FILE, or with -, the export goes to standard output. FILE is written completely or not at all.",
  async run(call) {
    const [given = "-"] = call.arguments;
    const path = given === "-" ? undefined : resolve(call.folder, given);
    if (path !== undefined && !call.isSet("force") && (await isThere(path))) {
      throw new CliError(
        `${path} exists already; choose another name, or overwrite it with --force`,
      );
    }
    await using store = await call.openStore({ patient: true });
    if (path === undefined) {
      await writeLines(store, async (text) => await call.print(text));
      return;
    }
    using progress = call.progress("exporting");
    const versions = await writeFile(store, path, progress);
    progress[Symbol.dispose]();
    call.note(`exported ${counted(versions, "version")} to ${path}`);
  },
};

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    // A path with another fault fails when it is opened for writing, with a better message.
    return false;
  }
}

async function writeFile(store: ObjectStore, path: string, progress: Progress): Promise<number> {
  const partial = `${path}.${process.pid}.partial`;
  const file = await openForWriting(partial, path);
  try {
    const versions = await writeLines(store, async (text) => await file.writeFile(text), progress);
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

/** Writes the export in batches and returns the number of versions. */
async function writeLines(
  store: ObjectStore,
  write: (text: string) => Promise<void>,
  progress?: Progress,
): Promise<number> {
  let batch = "";
  let lines = 0;
  const lined = exportObjects(store, {
    progress: (done, all) => progress?.come(done / all, done),
  });
  for await (const line of lined) {
    batch += line;
    lines += 1;
    if (batch.length < batchSize) continue;
    await write(batch);
    batch = "";
  }
  await write(batch);
  return lines - 1;
}
