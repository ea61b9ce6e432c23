import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The absolute path that a user or model means, read like Pi's own tools read it: `~` is the home folder, a leading `@`
 * is dropped, `file:` URLs are accepted, and all kinds of spaces become plain ones. A file that exists under the name
 * as written has priority.
 */
export function resolvePath(path: string, base: string): string {
  const literal = resolve(base, path);
  const plain = resolve(base, expand(path));
  if (plain !== literal && path !== "~" && !path.startsWith("~/") && existsSync(literal))
    return literal;
  return existsSync(plain)
    ? plain
    : (spellings(plain).find((spelling) => existsSync(spelling)) ?? plain);
}

function expand(path: string): string {
  const plain = path
    .replace(/^@/u, "")
    .replaceAll(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/gu, " ");
  if (plain === "~") return homedir();
  if (plain.startsWith("~/")) return `${homedir()}${plain.slice(1)}`;
  if (!plain.startsWith("file://")) return plain;
  try {
    return fileURLToPath(plain);
  } catch {
    // A URL that names no file of this machine is read as a path, and reported as missing.
    return plain;
  }
}

/** Spellings that macOS uses in file names and people type differently: times of screenshots, apostrophes, accents. */
function spellings(path: string): readonly string[] {
  const accents = path.normalize("NFD");
  return [
    path.replaceAll(/ (AM|PM)\./giu, "\u202F$1."),
    accents,
    path.replaceAll("'", "\u2019"),
    accents.replaceAll("'", "\u2019"),
    path.normalize("NFC"),
  ].filter((spelling) => spelling !== path);
}
