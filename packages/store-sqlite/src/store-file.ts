import { messageOf, StoreError } from "@self-context-manager/objects";
import type { Stats } from "node:fs";
import { access, constants, open, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { removeLeftovers } from "./file-identity.ts";
import { makeFolder } from "./make-folder.ts";

/**
 * Creates the file of a store and its folder for this user only, or checks that existing ones can be used. SQLite itself
 * would open a file that it cannot write, and its later error would contain less.
 */
export async function prepareFile(path: string): Promise<void> {
  const folder = dirname(path);
  try {
    await makeFolder(folder);
  } catch (cause) {
    throw refusal(cause, path, "its folder cannot be created");
  }
  removeLeftovers(path);
  await create(path);
  const facts = await look(path);
  if (!facts.isFile()) {
    const kind = facts.isDirectory() ? "a directory" : "not a regular file";
    throw new StoreError(
      "STORE_UNREADABLE",
      `${path} is ${kind}; choose the path of a file for the store`,
    );
  }
  if (!(await isAllowed(path, constants.R_OK))) {
    throw new StoreError(
      "STORE_UNREADABLE",
      `the store ${path} cannot be read; check its owner and its permissions`,
    );
  }
  if (!(await isAllowed(path, constants.W_OK)) || !(await isAllowed(folder, constants.W_OK))) {
    throw new StoreError(
      "STORE_READ_ONLY",
      `the store ${path} cannot be written; make the file and its folder writable, or choose another path`,
    );
  }
}

async function create(path: string): Promise<void> {
  try {
    await (await open(path, "ax", 0o600)).close();
  } catch (cause) {
    // The file exists. The caller checks next whether it can be used.
    if (codeOf(cause) === "EEXIST") return;
    throw refusal(cause, path, "the file cannot be created");
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
    // `access` rejects if the file is not accessible.
    return false;
  }
}

function refusal(cause: unknown, path: string, what: string): StoreError {
  switch (codeOf(cause)) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new StoreError(
        "STORE_READ_ONLY",
        `the store ${path}: ${what}, because a folder is not writable; make it writable, or choose another path`,
        { cause },
      );
    case "ENOSPC":
    case "EDQUOT":
      return new StoreError(
        "STORE_FULL",
        `the store ${path}: ${what}, because no space is left; free some space`,
        { cause },
      );
    default:
      return new StoreError(
        "STORE_UNREADABLE",
        `the store ${path}: ${what} (${messageOf(cause)}); choose another path`,
        { cause },
      );
  }
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && "code" in cause ? cause.code : undefined;
}
