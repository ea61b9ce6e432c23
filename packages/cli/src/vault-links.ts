import { indexFolder, markdownParser, openStore, systemClock } from "@self-context-manager/compose";
import { type FollowedLink, linksOf } from "@self-context-manager/links";
import type { ObjectId, ObjectStore } from "@self-context-manager/core";
import { allItems, defined, describeAll } from "@self-context-manager/objects";

import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";

import type { CommandCall } from "./command.ts";
import { idsOf, linesOf } from "./followed-links.ts";

/** A wiki link of a folder of notes, in the form that other programs read. Paths are relative to the folder, with `/`. */
interface VaultLink {
  readonly from: string;
  /** `body:LINE`, counted from 0, or the pointer of the field in the front matter. */
  readonly at: string;
  readonly raw: string;
  readonly embed?: true;
  readonly name: string;
  readonly heading?: string;
  readonly alias?: string;
  /** Absent for a broken link. */
  readonly to?: string;
  readonly how: "exact" | "relative" | "suffix" | "alias" | "self" | "ambiguous" | "broken";
  readonly candidates?: readonly string[];
}

interface VaultLinks {
  readonly links: readonly PlacedLink[];
  /** The notes with each tag, as it is written. */
  readonly tags: Readonly<Record<string, readonly string[]>>;
}

/** A link with its line, counted from 1. */
interface PlacedLink {
  readonly link: VaultLink;
  readonly line: number;
}

/** The number of notes whose links are followed at once. */
const notesAtOnce = 200;

/** Returns the wiki links and the tags of a folder of notes, which are read from the disk. */
export async function vaultLinks(
  folder: string,
  call: Pick<CommandCall, "progress">,
): Promise<VaultLinks> {
  const workspace = await realpath(folder);
  await using store = await openStore({ store: "memory", at: "", clock: systemClock });
  using progress = call.progress("reading");
  await indexFolder(store, workspace, {
    namesAll: true,
    progress: (done, all) => progress.come(done / all, done),
  });
  const notes = await notesOf(store, workspace);
  const parts = { store, parser: markdownParser, workspace };
  const links: PlacedLink[] = [];
  const tags = new Map<string, Set<string>>();
  for (let start = 0; start < notes.length; start += notesAtOnce) {
    const some = notes.slice(start, start + notesAtOnce);
    const ids = some.map(({ id }) => id);
    const followed = (await linksOf(ids, parts)).filter(({ link }) => link.syntax === "wiki");
    const objects = await describeAll(store, [
      ...ids,
      ...followed.flatMap(({ target }) => idsOf(target)),
    ]);
    const lines = await linesOf(store, followed);
    const pathOf = (id: ObjectId): string => relativePath(workspace, objects.get(id)?.body["path"]);
    for (const [index, one] of followed.entries()) {
      const line = lines[index] ?? 1;
      links.push({ link: linkOf(one, line, pathOf), line });
    }
    for (const entry of await store.documents.entries(markdownParser.name, ids)) {
      for (const { tag } of entry?.document?.tags ?? []) {
        const files = tags.get(tag) ?? new Set();
        tags.set(tag, files.add(pathOf(entry?.names.id ?? ("" as ObjectId))));
      }
    }
  }
  return { links, tags: sorted(tags) };
}

function linkOf(
  { from, link, target }: FollowedLink,
  line: number,
  pathOf: (id: ObjectId) => string,
): VaultLink {
  const { path, raw, name, heading, alias, embed } = link;
  return {
    from: pathOf(from.id),
    at: path === "content" ? `body:${line - 1}` : path.slice(1),
    // In a table, the bar of a link is written with a backslash.
    raw: raw.replaceAll("\\|", "|"),
    ...defined({ embed }),
    name,
    ...defined({ heading, alias }),
    ...(target.state === "unresolved" ? {} : { to: pathOf(target.id) }),
    how: howOf(target, name),
    ...(target.state === "ambiguous" ? { candidates: target.candidates.map(pathOf) } : {}),
  };
}

function howOf(target: FollowedLink["target"], name: string): VaultLink["how"] {
  if (target.state === "unresolved") return "broken";
  if (target.state === "ambiguous") return "ambiguous";
  const { rank } = target;
  if (rank === "self" || rank === "suffix" || rank === "alias") return rank;
  return /^\.\.?[/\\]/u.test(name) ? "relative" : "exact";
}

async function notesOf(
  store: ObjectStore,
  workspace: string,
): Promise<readonly { readonly id: ObjectId }[]> {
  const where = { file_type: "markdown" };
  const found = await allItems(async (place) => await store.find({ where, limit: 500, ...place }));
  const notes = found.map(({ body }) => ({
    id: body.id,
    path: relativePath(workspace, body["path"]),
  }));
  return notes.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function relativePath(workspace: string, path: unknown): string {
  if (typeof path !== "string") throw new TypeError("a file of the folder has no path");
  return relative(workspace, path).split(sep).join("/");
}

function sorted(
  tags: ReadonlyMap<string, ReadonlySet<string>>,
): Readonly<Record<string, readonly string[]>> {
  const entries = [...tags].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([tag, files]) => [tag, [...files].toSorted()]));
}
