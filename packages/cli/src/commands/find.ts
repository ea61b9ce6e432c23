import type {
  ObjectId,
  ObjectStore,
  StoredMetadata,
  StoredVersion,
} from "@self-context-manager/core";
import { noteOf } from "@self-context-manager/core/host";
import {
  documentKinds,
  type LinkParts,
  matchingLine,
  type MatchingLine,
  tagKey,
} from "@self-context-manager/links";
import {
  defined,
  describeAll,
  type FindQuery,
  lastChanged,
  type SearchIndex,
} from "@self-context-manager/objects";

import {
  type ScanPattern,
  type ScanQuery,
  type ScanResult,
  scanTexts,
} from "@self-context-manager/search";

import { IncompleteError, UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, jsonOption, workspaceOption } from "../command.ts";
import { allowedIds, fitsOptions } from "../find-conditions.ts";
import { description, linkParts, targetName } from "../followed-links.ts";
import { counted, sizeOf } from "../format/amounts.ts";
import { cutLine } from "../format/cut.ts";
import { jsonText } from "../format/json.ts";
import { right, table } from "../format/table.ts";
import { visible } from "../format/terminal-text.ts";
import { fewVersions, type IndexState, stateText } from "../index-state.ts";
import { nextCommand } from "../next-command.ts";
import { wholeNumber } from "../whole-number.ts";
import { readFewWords, readWords } from "../words-index.ts";

const usualLimit = 20;

/** The number of characters of a tool call that are shown before the line. */
const longestCall = 60;

/** The most hits that are asked for, so that enough remain when other conditions are applied. */
const mostHits = 2_000;

/** Milliseconds for a literal text. Its time grows only with the size of the store. */
const longScan = 60_000;

export const findCommand: Command = {
  name: "find",
  summary: "find objects by words, tag, path, relation, type or session",
  arguments: "[WORD...]",
  argumentCount: { least: 0, most: 50 },
  options: {
    literal: { value: "TEXT", help: "lines with exactly this text, instead of words" },
    regex: {
      value: "PATTERN",
      help: "lines that a regular expression of JavaScript fits, within 2 seconds",
    },
    type: { value: "TYPE", help: "only file, note (with every Markdown file), toolcall …" },
    tag: { value: "TAG", help: "only notes with this tag, or one below it (a finds a/b)" },
    path: { value: "PART", help: "only files whose path contains this text, in any case" },
    relation: {
      value: "NAME",
      help: "only notes with a link of this relation (part_of), or of it to one object (part_of:NAME)",
    },
    session: {
      value: "ID",
      help: "only objects that this session knows; latest is the newest session",
    },
    limit: { value: "N", help: `at most N objects; default ${usualLimit}` },
    ...workspaceOption,
    ...jsonOption,
  },
  notes: `Words are looked up in the contents of all versions, in the notes of objects (scm note), in paths and in the
arguments of tool calls; the best fit comes first. Each row has the first line with the most of the words, or the
note if it has more of them. name@3 is an object of which version 3 has the words. Without words, the objects that
meet all conditions are listed, the newest first. The index of words is kept beside the store, by the sessions and
by this command. If it lacks more than ${fewVersions} versions, the answer is from the others, and says how many they are;
then the missing ones are read, and the exit code is 2. scm index --words reads them without a question.
--literal and --regex read the latest versions instead, the newest first, and have a row for each line.
If the time of a scan is over, the lines until then are printed, and the exit code is 2.`,
  async run(call) {
    const words = call.arguments.join(" ").trim();
    const conditions = ["type", "tag", "path", "relation", "session"].some(
      (option) => call.text(option) !== undefined,
    );
    const pattern = patternOf(call, words);
    if (words === "" && !conditions && pattern === undefined)
      throw new UsageError(
        "give words, or one of --literal, --regex, --type, --tag, --path, --relation and --session",
      );
    const limit = wholeNumber(call, "limit", usualLimit);
    await using store = await call.openStore({ readsOnce: pattern !== undefined });
    const isLinked = ["tag", "relation"].some((option) => call.text(option) !== undefined);
    const parts = await linkParts(store, call, isLinked ? "all" : "none");
    const allowed = await allowedIds(call, parts);
    if (pattern !== undefined) {
      await scanned(store, call, { pattern, allowed, limit, workspace: parts.workspace });
      return;
    }
    const selection = { allowed, limit, workspace: parts.workspace };
    await using documents = words === "" ? undefined : await call.openDocuments(store);
    const read = documents && (await readFewWords(store, documents.search, call));
    const { found, isCut, isMore } =
      documents === undefined
        ? await listed(store, call, selection)
        : await searched(store, call, words, { ...selection, search: documents.search });
    const shown = await withLines(
      store,
      found.slice(0, limit),
      words === "" ? (call.text("tag") ?? "") : words,
    );
    await call.print(call.isSet("json") ? asJson(shown) : asTable(shown, words, call.folder));
    if (found.length > limit || isMore)
      call.note(
        `${isCut || isMore ? "More than " : ""}${counted(found.length, "object")} were found; ${limit === 1 ? "1 is" : `${limit} are`} shown, and --limit shows more.`,
      );
    if (isCut && found.length < limit) throw tooMany();
    if (found.length === 0) call.note(await nothingFound(call, parts));
    if (read === undefined) return;
    if (read.damaged.length > 0) throw notSearched(call, read.damaged);
    if (read.read < read.all && documents !== undefined)
      throw await readOn(store, documents.search, call, read);
  },
};

/** The pattern of a scan, which takes the place of words; undefined for a search of words. */
function patternOf(call: CommandCall, words: string): ScanPattern | undefined {
  const literal = call.text("literal");
  const regex = call.text("regex");
  if (literal === undefined && regex === undefined) return undefined;
  if (words !== "" || (literal !== undefined && regex !== undefined))
    throw new UsageError("give words, --literal or --regex, and only one of them");
  return literal === undefined ? { regex: regex ?? "" } : { literal };
}

/** Which objects are listed or scanned. */
interface Selection {
  readonly allowed: ReadonlySet<ObjectId> | undefined;
  readonly limit: number;
  readonly workspace: string;
}

/** Prints the lines that a pattern fits. The scan ends with the last line that is shown. */
async function scanned(
  store: ObjectStore,
  call: CommandCall,
  { pattern, allowed, limit, workspace }: Selection & { readonly pattern: ScanPattern },
): Promise<void> {
  const { hits, isCut } = await scan(store, {
    ...pattern,
    ...defined({ kinds: kindsOf(call) }),
    accepts: (stored) =>
      allowed?.has(stored.body.id) !== false && fitsOptions(call, stored, workspace),
    limit,
    ...("literal" in pattern ? { timeLimit: longScan } : {}),
  });
  const objects = await describeAll(
    store,
    hits.map(({ id }) => id),
  );
  const shown = hits.flatMap(({ id, version, line, text }) => {
    const stored = objects.get(id);
    return stored === undefined ? [] : [{ stored, version, match: { line, text, words: 1 } }];
  });
  await call.print(call.isSet("json") ? asJson(shown) : asTable(shown, "a pattern", call.folder));
  if (isCut === "time") {
    throw new IncompleteError(
      `the answer is not complete: the time for the scan is over (${counted(shown.length, "line")} until then); use --type or a simpler pattern`,
    );
  }
  if (isCut === "limit")
    call.note(
      `More than ${counted(limit, "line")} were found; ${limit === 1 ? "1 is" : `${limit} are`} shown, and --limit shows more.`,
    );
  if (shown.length === 0) call.note("Nothing was found.");
}

/** The words of some versions are unknown, because the versions could not be read. */
function notSearched(call: CommandCall, damaged: readonly string[]): IncompleteError {
  return new IncompleteError(
    `the answer is not complete: ${counted(damaged.length, "version")} could not be read (${damaged.slice(0, 3).join(", ")}${damaged.length > 3 ? ", …" : ""}); see ${nextCommand(call, "doctor")}`,
  );
}

/** The other conditions were checked for the first hits alone, and fewer than the limit meet them. */
function tooMany(): IncompleteError {
  return new IncompleteError(
    `the answer is not complete: the other conditions were checked only for the first ${mostHits} objects that have the words; give more words, or --type`,
  );
}

async function scan(store: ObjectStore, query: ScanQuery): Promise<ScanResult> {
  try {
    return await scanTexts(store, query);
  } catch (error) {
    // A pattern that cannot be read.
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

interface Found {
  readonly stored: StoredMetadata;
  /** The version that has the words. */
  readonly version: number;
  readonly score?: number;
}

interface FoundObjects {
  readonly found: readonly Found[];
  /** True if more hits of the index were possible. */
  readonly isCut: boolean;
  /** True if the objects end with the last one that is shown, and at least one more meets the conditions. */
  readonly isMore?: boolean;
}

interface FoundLine extends Found {
  readonly match: MatchingLine | undefined;
  /** The note of the object, if it has more of the words than any line. */
  readonly note?: string | undefined;
}

/** The objects that have the words, best first. */
async function searched(
  store: ObjectStore,
  call: CommandCall,
  words: string,
  { allowed, workspace, search }: Selection & { readonly search: SearchIndex },
): Promise<FoundObjects> {
  const type = call.text("type");
  const hits = await search.search({
    words,
    limit: mostHits,
    ...(type === undefined || type === "note" ? {} : { type }),
  });
  const best = new Map<ObjectId, (typeof hits)[number]>();
  for (const hit of hits) {
    if (allowed !== undefined && !allowed.has(hit.id)) continue;
    const known = best.get(hit.id);
    // Of equal fits, the newest version is the one that a reader wants.
    if (known === undefined || (known.score === hit.score && known.version < hit.version))
      best.set(hit.id, hit);
  }
  const objects = await describeAll(store, best.keys());
  const found = [...best.values()].flatMap(({ id, version, score }) => {
    const stored = objects.get(id);
    const isFit = stored !== undefined && fitsOptions(call, stored, workspace);
    return isFit ? [{ stored, version, score }] : [];
  });
  return { found, isCut: hits.length === mostHits };
}

/** Reads the words that the answer lacks, for the next answer. Returns the error that says so. */
async function readOn(
  store: ObjectStore,
  search: SearchIndex,
  call: CommandCall,
  before: IndexState,
): Promise<IncompleteError> {
  call.note(
    `The answer is from a part of the store: ${stateText(before)}. Reading on; Ctrl-C ends it, and what was read is kept.`,
  );
  const after = await readWords(store, search, call);
  return new IncompleteError(
    `the answer is not complete: ${stateText(before)}; now ${after.read < after.all ? stateText(after) : "all of it is read"}, so run the command again`,
  );
}

/** The objects that meet the conditions, newest first, as far as they are shown. */
async function listed(
  store: ObjectStore,
  call: CommandCall,
  { allowed, limit, workspace }: Selection,
): Promise<FoundObjects> {
  const fits = (stored: StoredMetadata): boolean => fitsOptions(call, stored, workspace);
  if (allowed !== undefined) {
    const all = [...(await describeAll(store, allowed)).values()].filter(fits);
    const newestFirst = all.toSorted((one, other) => other.at.tx_id - one.at.tx_id);
    return { found: newestFirst.map(asFound), isCut: false };
  }
  const found: StoredMetadata[] = [];
  for await (const stored of lastChanged(store, kindsOf(call) ?? [{}])) {
    if (!fits(stored)) continue;
    // One more than is shown says that there are more.
    if (found.length === limit) return { found: found.map(asFound), isCut: false, isMore: true };
    found.push(stored);
  }
  return { found: found.map(asFound), isCut: false };
}

function asFound(stored: StoredMetadata): Found {
  return { stored, version: stored.version };
}

/** The fields of the objects that can meet the conditions of type and path; undefined if any object can. */
function kindsOf(call: CommandCall): readonly NonNullable<FindQuery["where"]>[] | undefined {
  const type = call.text("type");
  if (type === "note") return documentKinds;
  if (type !== undefined) return [{ type }];
  return call.text("path") === undefined ? undefined : pathKinds;
}

/** The types of objects that have a path. */
const pathKinds = [{ type: "file" }, { type: "note" }] as const;

/** Adds the line that fits, of the latest version if it has as many of the words as the one that was found. */
async function withLines(
  store: ObjectStore,
  found: readonly Found[],
  words: string,
): Promise<readonly FoundLine[]> {
  const lines: FoundLine[] = [];
  const contents = await store.getMany(found.map(({ stored }) => stored.body.id));
  for (const [index, one] of found.entries()) {
    const { stored, version } = one;
    const latest = lineOf(contents[index], words);
    const former =
      version === stored.version
        ? undefined
        : lineOf(await store.get(stored.body.id, { version }), words);
    const isLatest = former === undefined || (latest?.words ?? 0) >= former.words;
    const match = isLatest ? latest : former;
    const note = matchingLine(noteOf(stored.body) ?? "", words);
    lines.push(
      note !== undefined && note.words > (match?.words ?? 0)
        ? { ...one, version: stored.version, match: undefined, note: note.text }
        : { ...one, version: isLatest ? stored.version : version, match },
    );
  }
  return lines;
}

function lineOf(stored: StoredVersion | undefined, words: string): MatchingLine | undefined {
  const content = stored?.body.content;
  return typeof content === "string" ? matchingLine(content, words) : undefined;
}

function asTable(found: readonly FoundLine[], words: string, folder: string): string {
  if (found.length === 0) return "";
  return table(
    ["TYPE", right("SIZE"), words === "" ? "NAME:LINE  FIRST LINE" : "NAME:LINE  TEXT"],
    found.map(({ stored: { body, version: latest }, version, match, note }) => {
      const name = targetName(body, folder);
      const place = `${version === latest ? name : `${name}@${version}`}${match === undefined ? "" : `:${match.line}`}`;
      const text = [cutLine(description(body), longestCall), match?.text ?? note ?? ""];
      const shown = text.filter((part) => part !== "").join(" — ");
      return [body.type, sizeOf(body), shown === "" ? place : `${place}  ${shown}`];
    }),
  );
}

function asJson(found: readonly FoundLine[]): string {
  return jsonText(
    found.map(({ stored: { body, version: latest }, version, score, match }) => ({
      id: body.id,
      type: body.type,
      path: body["path"] ?? null,
      ...defined({ nickname: body.nickname, short_summary: noteOf(body) }),
      ...(typeof body["char_count"] === "number" ? { char_count: body["char_count"] } : {}),
      version,
      latest_version: latest,
      ...defined({ score }),
      ...(match === undefined ? {} : { line: match.line, text: match.text }),
    })),
  );
}

/** A message that nothing fits, with what there is. */
async function nothingFound(call: CommandCall, { store, parser }: LinkParts): Promise<string> {
  const tag = call.text("tag");
  if (tag === undefined) return "Nothing was found.";
  const tags = await store.documents.tags(parser.name);
  if (tags.some((one) => one.tag === tagKey(tag))) return "Nothing was found.";
  const most = 10;
  const names = tags
    .toSorted((one, other) => other.objects - one.objects)
    .slice(0, most)
    .map((one) => one.tag);
  return visible(
    names.length === 0
      ? "No note of the store has a tag."
      : `No note has the tag ${tag}; the most used tags are ${names.join(", ")}.`,
  );
}
