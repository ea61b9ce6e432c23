import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";

import type { DataFolder } from "./data-folder.ts";
import { NodeError } from "./node-error.ts";

const tokenBytes = 32;
/** The least length of a token that the user chooses, so that nobody finds it by trying. */
const leastCharacters = 32;

/** Whether a text can be the token of an `Authorization` header (RFC 6750). */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9._~+/-]+=*$/u.test(text);
}

/**
 * Writes the token of the next start of a node: the given one, else 32 random bytes in base64url. Only this user can
 * read the file. Rejects with `START_FAILED` for a token that is too short or has other characters.
 */
export async function writeToken(data: DataFolder, given: string | undefined): Promise<void> {
  if (given !== undefined && (given.length < leastCharacters || !isToken(given))) {
    throw new NodeError(
      "START_FAILED",
      `the token for the node in ${data.folder} must have at least ${leastCharacters} characters, only letters, digits and - . _ ~ + /; correct SCM_XTDB_TOKEN or the option token, or leave it out`,
    );
  }
  const token = given ?? randomBytes(tokenBytes).toString("base64url");
  // A rename replaces a file that other users could read.
  const partial = `${data.token}.partial`;
  await writeFile(partial, `${token}\n`, { mode: 0o600 });
  await rename(partial, data.token);
}

/** Returns the token of the node; an empty text if the file is missing, which the node refuses. */
export async function readToken(data: DataFolder): Promise<string> {
  try {
    return (await readFile(data.token, "utf8")).trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
