import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

/** Folders that hold nothing of this repository's own writing. */
const passedOver = new Set(["node_modules", "dist", "pack", "fixtures", ".git", ".turbo", ".demo"]);

function markdownFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (passedOver.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownFiles(path);
    return entry.name.endsWith(".md") || entry.name === "llms.txt" ? [path] : [];
  });
}

/** The text of a document without code, where nothing is a link. */
function prose(path: string): string {
  return readFileSync(path, "utf8")
    .replaceAll(/^(`{3,}|~{3,}).*?^\1$/gmsu, "")
    .replaceAll(/`[^`\n]*`/gu, (code) => code.replaceAll(/[[\]()]/gu, ""));
}

function linksIn(path: string): string[] {
  return [...prose(path).matchAll(/\]\(([^()\s]+)\)/gu)].map(([, target = ""]) => target);
}

/** The anchors of a document, as GitHub makes them from its headings. */
function anchorsIn(path: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of prose(path).matchAll(/^#{1,6} (.+)$/gmu)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1");
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/gu, "-");
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

function isBroken(path: string, link: string): boolean {
  if (/^(https?|mailto):/u.test(link)) return false;
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? path : join(dirname(path), decodeURIComponent(file));
  // A path of one's own machine, or one that leads out of the repository, works for nobody else.
  if (file.startsWith("/") || relative(root, target).startsWith("..") || !existsSync(target))
    return true;
  return anchor !== undefined && !anchorsIn(target).has(anchor);
}

const files = markdownFiles(root).map((path) => relative(root, path).replaceAll(sep, "/"));

describe("links of the documents", () => {
  test("are looked for in all of them", () => {
    expect(files).toEqual(
      expect.arrayContaining(["README.md", "llms.txt", "docs/specification.md"]),
    );
  });

  test.each(files)("%s links to files and headings that are there", (file) => {
    const path = join(root, file);

    expect(linksIn(path).filter((link) => isBroken(path, link))).toEqual([]);
  });
});
