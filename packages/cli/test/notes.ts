import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A small vault: each kind of link, and links that lead nowhere. */
const notes: Readonly<Record<string, string>> = {
  "index.md": [
    "---",
    "tags: [start, area/home]",
    "up: '[[Big idea]]'",
    "---",
    "# Start",
    "",
    "See [[Big idea|the idea]], [[Nothing]] and [[#Start]].",
    "- part_of [[projects/garden]]",
    "",
    "| a | b |",
    "| --- | --- |",
    "| [[Big idea\\|idea]] | ![[picture.png]] |",
    "",
  ].join("\n"),
  "ideas/Big idea.md": "---\naliases: [Grand plan]\n---\n# Why\n\nIt has a [[Log]]. #area/home\n",
  "projects/garden.md":
    "# Garden\n\nBack to [[../index]] and the [[grand plan]]. Seeds: tomatoes.\n",
  "a/Log.md": "The first log.\n",
  "b/Log.md": "The second log of `[[no link]]`.\n",
  "picture.png": "",
  "unused.png": "",
  ".obsidian/app.md": "[[hidden]]\n",
  "node_modules/x/readme.md": "[[hidden]]\n",
  "secrets.md": "[[hidden]]\n",
};

/** Writes the vault, or other files, into a folder. */
export async function writeNotes(
  folder: string,
  files: Readonly<Record<string, string>> = notes,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
