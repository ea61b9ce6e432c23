import type { ObjectId, StoredMetadata, StoredVersion } from "@self-context-manager/core";
import {
  backlinksOf,
  type FollowedLink,
  type LinkParts,
  linksOfVersion,
} from "@self-context-manager/links";
import { compareText, defined, describeAll } from "@self-context-manager/objects";

import { stat } from "node:fs/promises";
import { resolve } from "node:path";

import { CliError } from "../cli-errors.ts";
import {
  type Command,
  type CommandCall,
  jsonOption,
  targetNote,
  targetOptions,
  workspaceOption,
} from "../command.ts";
import {
  findLinked,
  idsOf,
  lineAt,
  linesOf,
  linkParts,
  relationOf,
  shortestName,
  targetText,
  writtenLink,
} from "../followed-links.ts";
import { counted } from "../format/amounts.ts";
import { cutLine } from "../format/cut.ts";
import { jsonText } from "../format/json.ts";
import { type Column, right, table } from "../format/table.ts";
import { visible } from "../format/terminal-text.ts";
import { vaultLinks } from "../vault-links.ts";

/** The number of characters of a link that are shown in a row. */
const longestLink = 60;

export const linksCommand: Command = {
  name: "links",
  summary: "show the links of an object in both directions, or of a folder of notes",
  arguments: "TARGET",
  argumentCount: { least: 1, most: 1 },
  options: { ...targetOptions, ...workspaceOption, ...jsonOption },
  notes: `${targetNote} TARGET can also be a name as in a link.
With a folder instead of TARGET, the links and tags of its Markdown files are printed. They are read from the
disk, and no store is needed.`,
  async run(call) {
    const [target = ""] = call.arguments;
    const folder = await folderAt(resolve(call.folder, target));
    if (folder !== undefined && target !== "") return await linksOfFolder(call, folder);
    await using store = await call.openStore();
    const parts = await linkParts(store, call, "few");
    const stored = await findLinked(parts, call, target);
    const [version] = await store.getMany([stored.body.id]);
    if (version === undefined) throw new CliError(`object ${stored.body.id} is no longer there`);
    const links = await bothDirections(version, parts);
    await call.print(call.isSet("json") ? asJson(version, links) : asText(version, links, call));
  },
};

/** The links of one object, with their lines and the objects that they name. */
export interface LinksOfObject {
  readonly out: readonly FollowedLink[];
  readonly outLines: readonly number[];
  readonly into: readonly FollowedLink[];
  readonly intoLines: readonly number[];
  readonly objects: ReadonlyMap<ObjectId, StoredMetadata>;
}

/** Returns the links of a version and those to its object. */
export async function bothDirections(
  stored: StoredVersion,
  parts: LinkParts,
): Promise<LinksOfObject> {
  const { store } = parts;
  const { id, content } = stored.body;
  const out = await linksOfVersion(stored, parts);
  const into = (await backlinksOf(id, parts)).toSorted(
    (one, other) =>
      compareText(one.from.path ?? one.from.id, other.from.path ?? other.from.id) ||
      one.link.range[0] - other.link.range[0],
  );
  const ids = [...out.flatMap(({ target }) => idsOf(target)), ...into.map(({ from }) => from.id)];
  return {
    out,
    outLines: out.map(({ link }) =>
      typeof content === "string" ? lineAt(content, link.range[0]) : 1,
    ),
    into,
    intoLines: await linesOf(store, into),
    objects: await describeAll(store, ids),
  };
}

function asText(stored: StoredVersion, links: LinksOfObject, call: CommandCall): string {
  const name = `${shortestName(stored.body, call.folder)}  ${stored.body.type}, version ${stored.version}`;
  return `${visible(name)}\n\n${linksText(links, call.folder)}`;
}

/** The links of an object as two tables; at most `most` rows in each. */
export function linksText(
  { out, outLines, into, intoLines, objects }: LinksOfObject,
  folder: string,
  most: number = Number.MAX_SAFE_INTEGER,
): string {
  const outRows = out.map((link, index) => [
    String(outLines[index]),
    relationOf(link),
    writtenLink(link),
    targetText(link.target, objects, folder),
  ]);
  const intoRows = into.map((link, index) => {
    const body = objects.get(link.from.id)?.body;
    const name = body === undefined ? link.from.id : shortestName(body, folder);
    const note = link.target.state === "ambiguous" ? " (ambiguous)" : "";
    return [`${name}:${intoLines[index]}`, relationOf(link), `${writtenLink(link)}${note}`];
  });
  return `${section("Links out", [right("LINE"), "RELATION", "LINK", "TARGET"], outRows, most)}
${section("Links in", ["FROM", "RELATION", "LINK"], intoRows, most)}`;
}

function section(
  title: string,
  titles: readonly Column[],
  rows: readonly (readonly string[])[],
  most: number,
): string {
  if (rows.length === 0) return `${title}: none\n`;
  const shown = table(titles, rows.slice(0, most)).replaceAll(/^(?=.)/gmu, "  ");
  const more = rows.length - most;
  return `${title}: ${rows.length}\n${shown}${more > 0 ? `  and ${more} more; scm links shows all\n` : ""}`;
}

function asJson(stored: StoredVersion, links: LinksOfObject): string {
  return jsonText({
    id: stored.body.id,
    type: stored.body.type,
    path: stored.body["path"] ?? null,
    version: stored.version,
    ...linksJson(links),
  });
}

/** The links of an object for programs. */
export function linksJson({
  out,
  outLines,
  into,
  intoLines,
  objects,
}: LinksOfObject): Readonly<Record<string, unknown>> {
  const named = (id: ObjectId): Readonly<Record<string, unknown>> => ({
    id,
    path: objects.get(id)?.body["path"] ?? null,
  });
  return {
    links_out: out.map((one, index) => ({
      ...written(one, outLines[index]),
      ...(one.target.state === "unresolved" ? {} : { to: named(one.target.id) }),
      ...(one.target.state === "ambiguous" ? { candidates: one.target.candidates.map(named) } : {}),
    })),
    links_in: into.map((one, index) => ({
      from: named(one.from.id),
      ...written(one, intoLines[index]),
    })),
  };
}

/** A link as it is written, with its place and what is known of its target. */
function written(one: FollowedLink, line: number | undefined): Readonly<Record<string, unknown>> {
  const { path, range, syntax, raw, name, heading, alias, embed } = one.link;
  return {
    field: path,
    line,
    range,
    syntax,
    relation: relationOf(one),
    raw,
    name,
    ...defined({ heading, alias, embed }),
    state: one.target.state,
    ...(one.target.state === "unresolved" ? {} : { rank: one.target.rank }),
  };
}

async function folderAt(path: string): Promise<string | undefined> {
  const facts = await stat(path).catch(() => undefined);
  return facts?.isDirectory() === true ? path : undefined;
}

async function linksOfFolder(call: CommandCall, folder: string): Promise<void> {
  const { links, tags } = await vaultLinks(folder, call);
  if (call.isSet("json")) {
    await call.print(
      jsonText({ root: call.arguments[0], links: links.map(({ link }) => link), tags }),
    );
    return;
  }
  const rows = links.map(({ line, link: { from, raw, embed, to, how, candidates } }) => [
    `${from}:${line}`,
    cutLine(`${embed === true ? "!" : ""}[[${raw}]]`, longestLink),
    to === undefined
      ? "broken"
      : `${to}${candidates === undefined ? "" : ` (ambiguous: ${counted(candidates.length, "file")})`}`,
    how,
  ]);
  if (rows.length > 0) await call.print(table(["FROM", "LINK", "TARGET", "HOW"], rows));
  call.note(`${counted(links.length, "wiki link")}, ${counted(Object.keys(tags).length, "tag")}`);
}
