// Writes llms.txt, the map of the documentation for language models, from the title and the first
// sentence of each document. Run `node tools/llms.mjs`; a test fails if the file is out of date.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Sections of the map with the documents in each: single files, or all of a folder. */
const sections = {
  Guide: ["docs/guide/"],
  Adapters: ["docs/adapters/"],
  Architecture: ["docs/architecture/"],
  Packages: ["packages/*/README.md"],
  Specification: ["docs/specification.md"],
  Decisions: ["docs/decisions/"],
  Contributing: ["CONTRIBUTING.md", "AGENTS.md"],
};

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, "..");
  writeFileSync(join(root, "llms.txt"), llmsText(root));
}

/**
 * The text of llms.txt for a checkout.
 * @param {string} root
 * @returns {string}
 */
export function llmsText(root) {
  const { title, sentence } = summary(root, "README.md");
  const parts = Object.entries(sections).map(([name, places]) => {
    const files = places.flatMap((place) => expand(root, place));
    const lines = files.map((file) => {
      const { title, sentence } = summary(root, file);
      return `- [${title}](${file}): ${sentence}`;
    });
    return `## ${name}\n\n${lines.join("\n")}\n`;
  });
  return `# ${title}\n\n> ${sentence}\n\n${parts.join("\n")}`;
}

/**
 * @param {string} root
 * @param {string} place
 * @returns {readonly string[]}
 */
function expand(root, place) {
  if (place.endsWith("/")) {
    return readdirSync(join(root, place))
      .filter((name) => name.endsWith(".md"))
      .toSorted()
      .map((name) => place + name);
  }
  const [folder, file] = place.split("*/");
  if (folder === undefined || file === undefined) return [place];
  return readdirSync(join(root, folder))
    .toSorted()
    .map((name) => `${folder}${name}/${file}`);
}

/**
 * The title of a document, and the first sentence of its first paragraph, without its links.
 * @param {string} root
 * @param {string} file
 */
function summary(root, file) {
  const text = readFileSync(join(root, file), "utf8");
  const title = /^# (.+)$/mu.exec(text)?.[1];
  const paragraph = text
    .slice(text.indexOf("\n", text.indexOf("# ")))
    .split(/\n{2,}/u)
    .map((part) => part.trim())
    .find((part) => /^[\p{L}`*[]/u.test(part));
  if (title === undefined || paragraph === undefined)
    throw new Error(`${file} has no title or no first paragraph; llms.txt needs both`);
  const plain = paragraph.replaceAll(/\s+/gu, " ").replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1");
  return { title, sentence: /^.*?[.](?=\s+\p{Lu}|$)/u.exec(plain)?.[0] ?? plain };
}
