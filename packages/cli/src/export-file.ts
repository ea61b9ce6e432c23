import { messageOf, readExportHeader } from "@self-context-manager/objects";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { CliError } from "./cli-errors.ts";
import { readLines } from "./read-lines.ts";

/** An open export that can be read several times. */
export interface ExportFile extends AsyncDisposable {
  /** Reads the lines from the first one on. */
  lines(): AsyncGenerator<string>;
  /** The part of the file that the latest reading has read, from 0 to 1. */
  share(): number;
}

/**
 * Opens an export and checks its first line. Standard input (`path` is undefined) and all that is no regular file are
 * copied into a temporary file first, because an import reads an export twice. Throws a `CliError` for a file that cannot
 * be read, and an `ImportError` for one that is no export.
 */
export async function openExportFile(
  path: string | undefined,
  stdin: AsyncIterable<Uint8Array>,
): Promise<ExportFile> {
  const name = path ?? "standard input";
  const file = await readable(name, async () => await regularFile(path, stdin));
  try {
    const exported = await exportIn(file);
    await checkFirstLine(exported, name);
    return exported;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function regularFile(
  path: string | undefined,
  stdin: AsyncIterable<Uint8Array>,
): Promise<FileHandle> {
  if (path === undefined) return await spooled(stdin);
  const file = await open(path);
  try {
    if ((await file.stat()).isFile()) return file;
    const copy = await spooled(bytesOf(file, null));
    await file.close();
    return copy;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Copies an export into a file without a name, which the system removes when it is closed. */
async function spooled(bytes: AsyncIterable<Uint8Array>): Promise<FileHandle> {
  const file = await unnamedFile();
  let isFirst = true;
  try {
    for await (const line of readLines(bytes)) {
      // Other input, which can be endless, is refused at its first line.
      if (isFirst) readExportHeader(line.trim());
      isFirst = false;
      await file.writeFile(`${line}\n`).catch((cause: unknown) => {
        throw new CliError(
          `standard input cannot be kept in ${tmpdir()} (${messageOf(cause)}); save it to a file and import that`,
          { cause },
        );
      });
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function unnamedFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), "scm-import-"));
  try {
    return await open(join(folder, "export.jsonl"), "wx+", 0o600);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function exportIn(file: FileHandle): Promise<ExportFile> {
  const { size } = await file.stat();
  let taken = 0;
  return {
    lines: () =>
      readLines(
        bytesOf(file, 0, (position) => {
          taken = position;
        }),
      ),
    share: () => (size === 0 ? 1 : taken / size),
    [Symbol.asyncDispose]: async () => await file.close(),
  };
}

/** Reads a file from a position on and leaves it open; from null on, it reads what has no positions, such as a pipe. */
async function* bytesOf(
  file: FileHandle,
  start: number | null,
  reach: (position: number) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  for (let position = start; ;) {
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.allocUnsafe(readAtOnce),
      position,
    });
    if (bytesRead === 0) return;
    if (position !== null) reach((position += bytesRead));
    yield buffer.subarray(0, bytesRead);
  }
}

/** The number of bytes that are read at once. */
const readAtOnce = 256 * 1024;

/** Checks the first line before a store is opened, so that a wrong file does not create a store. */
async function checkFirstLine(exported: ExportFile, name: string): Promise<void> {
  for await (const line of exported.lines()) {
    readExportHeader(line.trim());
    return;
  }
  throw new CliError(`${name} is empty; give a file that scm export wrote`);
}

/** Runs an access to a file. A failure of the system becomes an error that names the file. */
async function readable<Result>(name: string, access: () => Promise<Result>): Promise<Result> {
  try {
    return await access();
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    throw new CliError(
      `${name} cannot be read (${messageOf(cause)}); give a file that scm export wrote`,
      { cause },
    );
  }
}
