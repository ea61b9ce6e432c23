import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

/** Folders without documents that this repository wrote. */
const passedOver = new Set(["node_modules", "dist", "pack", "fixtures", ".git", ".turbo", ".demo"]);

function markdownFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (passedOver.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownFiles(path);
    return entry.name.endsWith(".md") || entry.name === "llms.txt" ? [path] : [];
  });
}

/** The text of a document without its code, in which nothing is a link. */
function prose(path: string): string {
  return readFileSync(path, "utf8")
    .replaceAll(/^(`{3,}|~{3,}).*?^\1$/gmsu, "")
    .replaceAll(/`[^`\n]*`/gu, (code) => code.replaceAll(/[[\]()]/gu, ""));
}

function linksIn(path: string): string[] {
  return [...prose(path).matchAll(/\]\(([^()\s]+)\)/gu)].map(([, target = ""]) => target);
}

/** The anchors that GitHub makes from the headings of a document. */
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
  // An absolute path, or a path that leaves the repository, works only on one machine.
  if (file.startsWith("/") || relative(root, target).startsWith("..") || !existsSync(target))
    return true;
  return anchor !== undefined && !anchorsIn(target).has(anchor);
}

const files = markdownFiles(root).map((path) => relative(root, path).replaceAll(sep, "/"));

describe("links of the documents", () => {
  test("are collected from all documents", () => {
    expect(files).toEqual(
      expect.arrayContaining(["README.md", "llms.txt", "docs/specification.md"]),
    );
  });

  test.each(files)("%s links only to files and headings that exist", (file) => {
    const path = join(root, file);

    expect(linksIn(path).filter((link) => isBroken(path, link))).toEqual([]);
  });
});
