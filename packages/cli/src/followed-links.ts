import { markdownParser } from "@self-context-manager/compose";
import type {
  FollowedLink,
  LinkParts,
  LinkTarget,
  UpdateOptions,
} from "@self-context-manager/links";
import { linkNamed, plainRelation, updateIndex } from "@self-context-manager/links";
import type { ObjectId, ObjectStore, StoredMetadata } from "@self-context-manager/core";
import {
  type ObjectBody,
  type ObjectMetadata,
  type Presence,
  presenceOf,
} from "@self-context-manager/objects";

import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";

import { CliError } from "./cli-errors.ts";
import type { CommandCall } from "./command.ts";
import { findTarget } from "./find-target.ts";
import { fewVersions, indexState, stateText } from "./index-state.ts";
import { cutLine } from "./format/cut.ts";
import { objectName } from "./format/object-name.ts";
import type { Progress } from "./format/progress.ts";
import { visible } from "./format/terminal-text.ts";

/** The number of objects that are shown for an ambiguous name. */
const mostCandidates = 10;

/** The number of objects of which metadata or contents are read at once. */
const objectsAtOnce = 200;

/**
 * Returns the parts for following links. Before that the notes of the store are read: all of them, none, or a few. The
 * answer about one object is not kept waiting for more than a few versions; it is reported that they are missing.
 */
export async function linkParts(
  store: ObjectStore,
  call: Pick<CommandCall, "text" | "folder" | "progress" | "note">,
  notes: "all" | "none" | "few" = "all",
): Promise<LinkParts> {
  const workspace = await workspaceOf(call, call.text("workspace"));
  const parts = { store, parser: markdownParser, workspace };
  if (notes === "none") return parts;
  if (notes === "few") {
    const state = await indexState(store, await store.documents.position(markdownParser.name));
    if (state.all - state.read > fewVersions) {
      call.note(
        `the links of notes are not complete: ${stateText(state)}; scm index --words reads the rest`,
      );
      return parts;
    }
  }
  using progress = call.progress("reading notes");
  await updateIndex(store, markdownParser, countedSteps(progress, versionsInStep));
  return parts;
}

/** The number of versions at which an update of the document index looks in one step. */
const versionsInStep = 500;

/** Reports the steps of an update of an index, each of which looks at so many versions. */
function countedSteps(progress: Progress, versions: number): UpdateOptions {
  let steps = 0;
  return {
    mayContinue: () => {
      progress.come(undefined, steps * versions);
      steps += 1;
      return true;
    },
  };
}

/** The real path of a folder that was given, or of the current one. */
export async function workspaceOf(
  { folder }: Pick<CommandCall, "folder">,
  given = ".",
): Promise<string> {
  const path = resolve(folder, given);
  const facts = await stat(path).catch(() => undefined);
  if (facts?.isDirectory() === true) return await realpath(path);
  throw new CliError(
    facts === undefined
      ? `there is no folder ${visible(path)}; name an existing one`
      : `${visible(path)} is no folder; name the folder that holds the notes`,
  );
}

/** Finds the object that TARGET means, which can also be a name as in a link. */
export async function findLinked(
  parts: LinkParts,
  call: Pick<CommandCall, "folder" | "text">,
  target: string,
): Promise<StoredMetadata> {
  const { store, workspace } = parts;
  try {
    return await findTarget(store, call, target);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const named = await linkNamed(target, parts);
    if (named.state === "unresolved") throw error;
    if (named.state === "ambiguous") throw await severalNamed(parts, target, named.candidates);
    const [stored] = await store.describe([named.id]);
    if (stored === undefined) throw error;
    return stored;
  }

  async function severalNamed(
    { store: from }: LinkParts,
    name: string,
    candidates: readonly ObjectId[],
  ): Promise<CliError> {
    const described = await from.describe(candidates.slice(0, mostCandidates));
    const names = described.flatMap((stored) =>
      stored === undefined ? [] : [`  ${objectName(stored.body, workspace)}`],
    );
    return new CliError(
      `${visible(name)} is the name of several objects; give more of the path:\n${names.join("\n")}`,
    );
  }
}

/** Returns the line of each link in its document, counted from 1, in the order of the links. */
export async function linesOf(
  store: ObjectStore,
  links: readonly FollowedLink[],
): Promise<readonly number[]> {
  const lines = new Map<FollowedLink, number>();
  const byDocument = [...Map.groupBy(links, ({ from }) => from.id)];
  for (let start = 0; start < byDocument.length; start += objectsAtOnce) {
    const some = byDocument.slice(start, start + objectsAtOnce);
    const contents = await store.getMany(some.map(([id]) => id));
    for (const [index, [, ofOne]] of some.entries()) {
      const content = contents[index]?.body.content;
      const text = typeof content === "string" ? content : "";
      for (const one of ofOne) lines.set(one, lineAt(text, one.link.range[0]));
    }
  }
  return links.map((link) => lines.get(link) ?? 1);
}

/** The number of the line at an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1))
    line += 1;
  return line;
}

/** The relation of a link; `links_to` for a plain one. */
export function relationOf({ link }: FollowedLink): string {
  return link.relation ?? plainRelation;
}

/** The ids that a target names. */
export function idsOf(target: LinkTarget): readonly ObjectId[] {
  if (target.state === "unresolved") return [];
  return target.state === "ambiguous" ? target.candidates : [target.id];
}

/** The number of characters of a link, and of the text of a Markdown link, that are shown in a line. */
const shown = { link: 60, text: 20 };

/** A link as it is written, shortened for a line. */
export function writtenLink({ link }: FollowedLink): string {
  const { syntax, raw, embed, alias = "" } = link;
  const mark = embed === true ? "!" : "";
  const written = syntax === "wiki" ? `[[${raw}]]` : `[${cutLine(alias, shown.text)}](${raw})`;
  return cutLine(`${mark}${written}`, shown.link);
}

/** What a link means, in names for a person. */
export interface NamedTarget {
  /** The name of the object that is used, with the heading. */
  readonly name: string;
  /** The names of the other objects that have the name. */
  readonly others: readonly string[];
  readonly presence: Presence;
}

export function namedTarget(
  target: Exclude<LinkTarget, { readonly state: "unresolved" }>,
  objects: ReadonlyMap<ObjectId, StoredMetadata>,
  folder: string,
): NamedTarget {
  const name = (id: ObjectId): string => nameOf(id, objects, folder);
  const body = objects.get(target.id)?.body;
  return {
    name: `${name(target.id)}${target.heading === undefined ? "" : `#${target.heading}`}`,
    others: target.state === "ambiguous" ? target.candidates.slice(1).map(name) : [],
    presence: body === undefined ? "present" : presenceOf(body),
  };
}

/** What a link means as text for a row. */
export function targetText(
  target: LinkTarget,
  objects: ReadonlyMap<ObjectId, StoredMetadata>,
  folder: string,
): string {
  if (target.state === "unresolved") return "unresolved";
  const { name, others, presence } = namedTarget(target, objects, folder);
  const notes = [
    ...(presence === "unread" || presence === "missing" ? [presence] : []),
    ...(others.length === 0 ? [] : [`ambiguous: also ${firstOf(others)}`]),
  ];
  return `${name}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}

/** The first names of several, with the number of the others. */
export function firstOf(names: readonly string[]): string {
  const most = 3;
  const more = names.length - most;
  return `${names.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The name of an object in a line by its id, which is the name of an object without metadata. */
export function nameOf(
  id: ObjectId,
  objects: ReadonlyMap<ObjectId, StoredMetadata>,
  folder: string,
): string {
  const body = objects.get(id)?.body;
  return body === undefined ? id : shortestName(body, folder);
}

/** The name of an object in a line: its nickname, path or last path, else its id and what it is. */
export function shortestName(body: ObjectBody | ObjectMetadata, folder: string): string {
  const what = description(body);
  return `${targetName(body, folder)}${what === "" ? "" : ` ${what}`}`;
}

/** A name that a command takes as its target: nickname and path, or last path, else the id. */
export function targetName(body: ObjectBody | ObjectMetadata, folder: string): string {
  const hasPath = typeof body["path"] === "string" || presenceOf(body) === "missing";
  return body.nickname !== undefined || hasPath ? objectName(body, folder) : body.id;
}

/** The call of a tool; empty for other objects, whose names say enough. */
export function description(body: ObjectBody | ObjectMetadata): string {
  const { args_display: args } = body;
  return body.type === "toolcall" && typeof args === "string" ? visible(args) : "";
}
