import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The absolute path that a person or model means, as Pi's own tools take it: `~` for home, a leading `@` dropped,
 * `file:` URLs, spaces of every kind as plain ones. A file that exists under the name as written comes first.
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
    // A URL that names no file of this machine is looked for by its letters, and reported missing.
    return plain;
  }
}

/** How macOS spells names that people type otherwise: times of screenshots, apostrophes, accents. */
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
