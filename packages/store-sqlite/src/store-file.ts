import { StoreError } from "@self-context-manager/objects";
import type { Stats } from "node:fs";
import { access, constants, mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes the file of a store and its folder for this user alone, or checks that those there can be used. SQLite itself
 * would open what it cannot write, and fail later with less to say.
 */
export async function prepareFile(path: string): Promise<void> {
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw refusal(cause, path, "its folder cannot be made");
  }
  await create(path);
  const facts = await look(path);
  if (!facts.isFile()) {
    const kind = facts.isDirectory() ? "a directory" : "not a regular file";
    throw new StoreError("STORE_UNREADABLE", `${path} is ${kind}; name a file for the store`);
  }
  if (!(await isAllowed(path, constants.R_OK))) {
    throw new StoreError(
      "STORE_UNREADABLE",
      `the store ${path} cannot be read; check who owns it and its permissions`,
    );
  }
  if (!(await isAllowed(path, constants.W_OK)) || !(await isAllowed(folder, constants.W_OK))) {
    throw new StoreError(
      "STORE_READ_ONLY",
      `the store ${path} cannot be written; make the file and its folder writable, or name another path`,
    );
  }
}

async function create(path: string): Promise<void> {
  try {
    await (await open(path, "ax", 0o600)).close();
  } catch (cause) {
    // It is there, which is as good; whether it can be used is looked at next.
    if (codeOf(cause) === "EEXIST") return;
    throw refusal(cause, path, "the file cannot be made");
  }
}

async function look(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (cause) {
    throw refusal(cause, path, "the file cannot be found");
  }
}

async function isAllowed(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch {
    // The answer of `access` is that it rejects.
    return false;
  }
}

function refusal(cause: unknown, path: string, what: string): StoreError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  switch (codeOf(cause)) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new StoreError(
        "STORE_READ_ONLY",
        `the store ${path}: ${what}, the folder cannot be written; make it writable, or name another path`,
        { cause },
      );
    case "ENOSPC":
    case "EDQUOT":
      return new StoreError(
        "STORE_FULL",
        `the store ${path}: ${what}, there is no room; free some space`,
        { cause },
      );
    default:
      return new StoreError(
        "STORE_UNREADABLE",
        `the store ${path}: ${what} (${detail}); name another path`,
        { cause },
      );
  }
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && "code" in cause ? cause.code : undefined;
}
