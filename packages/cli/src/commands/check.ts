import { folderFiles } from "@self-context-manager/compose";
import type { ObjectId, StoredMetadata } from "@self-context-manager/core";
import {
  type FileFinder,
  type FollowedLink,
  hasHeading,
  isDocument,
  type LinkParts,
  linksOf,
  linksToFiles,
} from "@self-context-manager/links";
import { describeAll, type ParsedDocument, presenceOf } from "@self-context-manager/objects";

import { filesOfFolder } from "@self-context-manager/tracker";
import { CliError, UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, jsonOption, workspaceOption } from "../command.ts";
import {
  firstOf,
  idsOf,
  linesOf,
  linkParts,
  namedTarget,
  shortestName,
  workspaceOf,
  writtenLink,
} from "../followed-links.ts";
import { counted } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { visible } from "../format/terminal-text.ts";
import { nextCommand } from "../next-command.ts";

/** The number of notes whose links are followed at once. */
const notesAtOnce = 200;

const states = ["broken", "ambiguous", "unread"] as const;

/** A link that does not lead to one known content. */
interface Finding {
  readonly path: string;
  readonly line: number;
  readonly state: (typeof states)[number];
  readonly link: string;
  /** What the link could mean, for a person. */
  readonly text: string;
}

export const checkCommand: Command = {
  name: "check",
  summary: "list the broken, ambiguous and unread links of a folder of notes",
  arguments: "[FOLDER]",
  argumentCount: { least: 0, most: 1 },
  options: {
    only: { value: "STATE", help: "only broken, ambiguous or unread links; several with commas" },
    ...workspaceOption,
    ...jsonOption,
  },
  notes: `FOLDER is the current folder by default, and the names of links are looked up in it, or in --workspace. The
notes are those of the store; scm index FOLDER stores them.
broken: nothing has the name, or the note has no such heading. ambiguous: several objects have it; the first one is
used. unread: the content is not in the store, because the object was only named, or because the file is on the disk
and no object. Names are looked up in the current folder if FOLDER is inside it, as an agent that works there does.
The exit code is 1 if a link is broken.`,
  async run(call) {
    const wanted = wantedStates(call);
    const folder = await workspaceOf(call, call.arguments[0] ?? call.text("workspace"));
    await using store = await call.openStore();
    const parts = { ...(await linkParts(store, call)) };
    // An agent that works in the current folder looks names up there.
    const isInside = folder.startsWith(`${parts.workspace}/`);
    const workspace = call.text("workspace") === undefined && !isInside ? folder : parts.workspace;
    const files = await folderFiles(workspace);
    const notes = [...(await filesOfFolder(store, folder))].flatMap(([path, { body }]) =>
      isDocument(body) && body["path"] === path && presenceOf(body) === "present"
        ? [{ path, id: body.id }]
        : [],
    );
    if (notes.length === 0)
      throw new CliError(
        `the store has no notes of ${visible(folder)}; store them with ${nextCommand(call, "index", call.arguments[0] ?? ".")}`,
      );
    notes.sort((one, other) => (one.path < other.path ? -1 : 1));
    const finder = linksToFiles(files, workspace);
    const findings: Finding[] = [];
    let links = 0;
    using progress = call.progress("checking", "note");
    for (let start = 0; start < notes.length; start += notesAtOnce) {
      const some = notes.slice(start, start + notesAtOnce).map(({ id }) => id);
      const followed = await linksOf(some, { ...parts, workspace });
      links += followed.length;
      const objects = await describeAll(
        store,
        followed.flatMap(({ from, target }) => [from.id, ...idsOf(target)]),
      );
      const documents = await documentsOf(followed, parts);
      const doubtful = followed.flatMap((one) => {
        const found =
          judged(one, objects, finder, workspace) ??
          withoutHeading(one, documents, objects, workspace);
        return found === undefined ? [] : [{ one, ...found }];
      });
      const lines = await linesOf(
        store,
        doubtful.map(({ one }) => one),
      );
      for (const [index, { one, state, text }] of doubtful.entries()) {
        const path = shortestName(objects.get(one.from.id)?.body ?? noBody(one), workspace);
        findings.push({ path, line: lines[index] ?? 1, state, link: writtenLink(one), text });
      }
      progress.come((start + some.length) / notes.length, start + some.length);
    }
    progress[Symbol.dispose]();
    const listed = findings.filter(({ state }) => wanted.has(state));
    const counts = states.map(
      (name) => `${findings.filter(({ state }) => state === name).length} ${name}`,
    );
    const total = `${counted(notes.length, "note")}, ${counted(links, "link")}: ${counts.join(", ")}`;
    await call.print(call.isSet("json") ? jsonText(listed) : `${asText(listed)}${total}\n`);
    noteNewFiles(call, files, notes, folder);
    const broken = findings.filter(({ state }) => state === "broken").length;
    if (broken > 0)
      throw new CliError(`${counted(broken, "link")} ${broken === 1 ? "is" : "are"} broken`);
  },
};

/** What is wrong with a link; undefined if it leads to one known content. */
function judged(
  { from, link, target }: FollowedLink,
  objects: ReadonlyMap<ObjectId, StoredMetadata>,
  finder: FileFinder,
  folder: string,
): Pick<Finding, "state" | "text"> | undefined {
  if (target.state === "unresolved") {
    const path = finder.find(link, from.path);
    if (path === undefined) return { state: "broken", text: "" };
    const name = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
    return { state: "unread", text: `${name} (on the disk, not in the store)` };
  }
  const { name, others, presence } = namedTarget(target, objects, folder);
  if (presence === "missing") return { state: "broken", text: `${name} (deleted)` };
  if (target.state === "ambiguous")
    return { state: "ambiguous", text: `${name}, also ${firstOf(others)}` };
  return presence === "unread" ? { state: "unread", text: `${name} (named, not read)` } : undefined;
}

/** The documents to whose headings links lead, by their ids. */
async function documentsOf(
  links: readonly FollowedLink[],
  { store, parser }: LinkParts,
): Promise<ReadonlyMap<ObjectId, ParsedDocument>> {
  const ids = links.flatMap(({ link, target }) =>
    link.heading === undefined || target.state === "unresolved" ? [] : [target.id],
  );
  const entries = await store.documents.entries(parser.name, [...new Set(ids)]);
  return new Map(
    entries.flatMap((entry) =>
      entry?.document === undefined ? [] : [[entry.names.id, entry.document] as const],
    ),
  );
}

/** Whether a link names a heading that its target does not have. */
function withoutHeading(
  { target }: FollowedLink,
  documents: ReadonlyMap<ObjectId, ParsedDocument>,
  objects: ReadonlyMap<ObjectId, StoredMetadata>,
  folder: string,
): Pick<Finding, "state" | "text"> | undefined {
  if (target.state === "unresolved" || target.heading === undefined) return undefined;
  const document = documents.get(target.id);
  if (document === undefined || hasHeading(document, target.heading)) return undefined;
  const { name } = namedTarget(target, objects, folder);
  return { state: "broken", text: `${name} (no heading ${JSON.stringify(target.heading)})` };
}

/** The findings below the names of their notes. */
function asText(findings: readonly Finding[]): string {
  const lines: string[] = [];
  for (const [path, ofNote] of Map.groupBy(findings, (finding) => finding.path)) {
    lines.push(visible(path));
    const width = Math.max(...ofNote.map(({ line }) => String(line).length));
    for (const { line, state, link, text } of ofNote) {
      const place = `${String(line).padStart(width)}  ${state.padEnd(9)}`;
      lines.push(visible(`  ${place}  ${link}${text === "" ? "" : ` → ${text}`}`));
    }
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n\n`;
}

function wantedStates(call: CommandCall): ReadonlySet<string> {
  const given = call.text("only")?.split(",") ?? states;
  const unknown = given.find((one) => !states.some((state) => state === one));
  if (unknown === undefined) return new Set(given);
  throw new UsageError(
    `--only is ${JSON.stringify(call.text("only"))}; it must be ${states.join(" or ")}, or several of them with commas`,
  );
}

/** Says how many Markdown files of the folder are not in the store, because their links were not checked. */
function noteNewFiles(
  call: CommandCall,
  files: readonly string[],
  notes: readonly { readonly path: string }[],
  folder: string,
): void {
  const known = new Set(notes.map(({ path }) => path));
  const unknown = files.filter(
    (path) => /\.mdx?$/iu.test(path) && path.startsWith(`${folder}/`) && !known.has(path),
  );
  if (unknown.length === 0) return;
  const are = unknown.length === 1 ? "is" : "are";
  call.note(
    `${counted(unknown.length, "Markdown file")} ${are} not in the store and ${are} not checked; ${nextCommand(call, "index", call.arguments[0] ?? ".")} stores them`,
  );
}

function noBody({ from }: FollowedLink): StoredMetadata["body"] {
  const provenance = { origin: from.path ?? from.id, generator: "human" as const };
  return { id: from.id, type: "note", locked: false, provenance };
}
