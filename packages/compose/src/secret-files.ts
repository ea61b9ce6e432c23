import { messageOf, StoreError, type StoreErrorCode } from "@self-context-manager/objects";
import type { SecretBook } from "@self-context-manager/secrets";

import { Buffer } from "node:buffer";
import { createHash, createHmac, randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname } from "node:path";

/** Digits of an id, and of the check of a line. */
const idDigits = 12;
const checkDigits = 8;

const ownerOnly = 0o600;

/**
 * Returns a book of secrets in two files of mode 0600: `PATH.secrets` has a line for each secret, and `PATH.key` the key of
 * the ids. Both are made when the first secret is kept. Several processes can append at once: a line is written as one
 * piece, and a line that is damaged is left out. Deleting either file breaks nothing.
 *
 * Reading and writing is synchronous, so a text has no mark whose bytes are not on the disk.
 *
 * @param canBegin Whether the key is made if there is none. If not, ids without a key hold for this process only.
 */
export function secretFiles(path: string, canBegin: boolean): SecretBook {
  const places = { secrets: `${path}.secrets`, key: `${path}.key` };
  const known = new Map<string, string>();
  let key: Buffer | undefined;
  let read: ReadState = { size: 0, node: 0n };

  /** Reads what this or another process has appended since. */
  function follow(): void {
    read = readAppended(places.secrets, read, (line) => {
      const [id, secret] = secretIn(line) ?? [];
      if (id !== undefined && secret !== undefined) known.set(id, secret);
    });
  }

  return {
    get isBegun() {
      follow();
      return known.size > 0 || fs.existsSync(places.key);
    },
    idOf(secret) {
      key ??= readKey(places.key) ?? (canBegin ? newKey(places.key) : randomBytes(32));
      return secretId(key, secret);
    },
    secrets() {
      follow();
      return known.values();
    },
    secretOf(id) {
      if (!known.has(id)) follow();
      return known.get(id);
    },
    keep(secrets) {
      const lines = [...secrets].map(([id, secret]) => lineOf(id, secret));
      // A line that another process could not end is not continued.
      append(places.secrets, `\n${lines.join("\n")}\n`);
      for (const [id, secret] of secrets) known.set(id, secret);
    },
    remove(ids) {
      follow();
      for (const id of ids) known.delete(id);
      rewrite(places.secrets, (line) => {
        const [id] = secretIn(line) ?? [];
        return id !== undefined && !ids.has(id);
      });
    },
  };
}

/** Returns the id of a secret, which says nothing of it without the key. */
export function secretId(key: Buffer, secret: string): string {
  return createHmac("sha256", key).update(secret).digest("hex").slice(0, idDigits);
}

/** Writes a file again with some of its lines. A line that another process appends at this moment is appended again. */
function rewrite(path: string, keeps: (line: string) => boolean): void {
  if (!fs.existsSync(path)) return;
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  written(path, () => {
    try {
      const before = fs.readFileSync(path, "utf8");
      const lines = before.split("\n").filter(keeps);
      const text = lines.length === 0 ? "" : `${lines.join("\n")}\n`;
      fs.writeFileSync(draft, text, { mode: ownerOnly, flag: "wx", flush: true });
      const appended = fs.readFileSync(path, "utf8").slice(before.length);
      fs.renameSync(draft, path);
      if (appended !== "") append(path, `\n${appended}`);
    } finally {
      fs.rmSync(draft, { force: true });
    }
  });
}

/** A file that was read to a size. */
interface ReadState {
  readonly size: number;
  readonly node: bigint;
}

function readAppended(path: string, before: ReadState, onLine: (line: string) => void): ReadState {
  try {
    const stats = fs.statSync(path, { bigint: true });
    const [size, node] = [Number(stats.size), stats.ino];
    const from = node === before.node && size >= before.size ? before.size : 0;
    if (size === from) return { size, node };
    const bytes = fs.readFileSync(path).subarray(from);
    // The last line can be one that is being written.
    const end = bytes.lastIndexOf(0x0a) + 1;
    for (const line of bytes.subarray(0, end).toString("utf8").split("\n")) onLine(line);
    return { size: from + end, node };
  } catch {
    // A file that is gone or not readable has no bytes: its marks are shown.
    return before;
  }
}

function lineOf(id: string, secret: string): string {
  return `${id} ${Buffer.from(secret, "utf8").toString("base64")} ${checkOf(id, secret)}`;
}

function secretIn(line: string): readonly [id: string, secret: string] | undefined {
  const [id = "", encoded = "", check] = line.split(" ");
  const secret = Buffer.from(encoded, "base64").toString("utf8");
  return secret !== "" && check === checkOf(id, secret) ? [id, secret] : undefined;
}

function checkOf(id: string, secret: string): string {
  return createHash("sha256").update(`${id} ${secret}`).digest("hex").slice(0, checkDigits);
}

function readKey(path: string): Buffer | undefined {
  try {
    const key = Buffer.from(fs.readFileSync(path, "utf8").trim(), "hex");
    return key.length === 32 ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Makes the key. Of several processes that make one at once, all get the first one. */
function newKey(path: string): Buffer {
  const key = randomBytes(32);
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  return written(path, () => {
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    fs.writeFileSync(draft, `${key.toString("hex")}\n`, {
      mode: ownerOnly,
      flag: "wx",
      flush: true,
    });
    try {
      // A key is there as a whole or not at all. A link does not replace one that is there.
      fs.linkSync(draft, path);
      return key;
    } catch (error) {
      const there = readKey(path);
      if (there !== undefined) return there;
      // A damaged key, or a disk without links.
      if (codeOf(error) === "EEXIST" || !fs.existsSync(path)) fs.renameSync(draft, path);
      return readKey(path) ?? key;
    } finally {
      fs.rmSync(draft, { force: true });
    }
  });
}

function append(path: string, text: string): void {
  const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;
  written(path, () => {
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Windows has no `O_NOFOLLOW`, and `undefined` changes nothing here.
    const file = opened(path, O_WRONLY | O_APPEND | O_NOFOLLOW, O_CREAT | O_EXCL);
    try {
      const bytes = Buffer.from(text, "utf8");
      if (fs.writeSync(file, bytes) !== bytes.length)
        throw new Error("only a part of a line could be written");
      fs.fdatasyncSync(file);
    } finally {
      fs.closeSync(file);
    }
  });
}

/** Opens a file, and makes it for its owner only if it does not exist. */
function opened(path: string, flags: number, making: number): number {
  try {
    return fs.openSync(path, flags | making, ownerOnly);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return fs.openSync(path, flags);
  }
}

function written<Result>(path: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    throw new StoreError(
      errorCodes[codeOf(error)] ?? "STORE_UNAVAILABLE",
      `the secrets that marks replace cannot be written to ${path}: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

const errorCodes: Readonly<Record<string, StoreErrorCode>> = {
  ENOSPC: "STORE_FULL",
  EDQUOT: "STORE_FULL",
  EROFS: "STORE_READ_ONLY",
  EACCES: "STORE_READ_ONLY",
  EPERM: "STORE_READ_ONLY",
};

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
