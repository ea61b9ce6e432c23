import { isDocument } from "@self-context-manager/links";
import {
  isReference,
  type JsonValue,
  type ObjectMetadata,
  oneLine,
  presenceOf,
} from "@self-context-manager/objects";
import type { CallFacts } from "../../calls/call-kind.ts";
import { shellPipelines } from "../../calls/shell-commands.ts";
import { fileReferences } from "../../calls/toolcall-object.ts";
import { argumentsOf, isText } from "../../chat/message.ts";
import { callsOf } from "../../chat/turn.ts";
import { foldHeader, foldHeaderOfOne } from "../../lines/fold-lines.ts";
import { fenced } from "../../render/content-block.ts";
import { noteOf } from "../../render/object-note.ts";
import { nameWeights, shortName } from "../../render/short-name.ts";
import type { PoolEntry } from "../../view/pool-entry.ts";
import type { Fold } from "../../view/view-entry.ts";
import type { PlanningContext } from "./planning-context.ts";

/** The most objects that a row names, unless it is in `mostOf`. */
const mostNames = 12;

/** The most rows with a command, names of failed calls, and rows with a note of a call and a sentence of an answer. */
const mostOf: Partial<Record<RowName, number>> = { ran: 6, failed: 6, about: 6, said: 4 };

/** The most characters of a command, of which the last of its kind is shown, and of a sentence. */
const longest = { command: 100, sentence: 200 } as const;

/** The rows of a fold, in their order, with the word that each begins with. */
type RowName =
  | "read"
  | "edited"
  | "wrote"
  | "noted"
  | "ran"
  | "failed"
  | "activated"
  | "about"
  | "said";

/** What a row lists: an object with the text for it, or only a text. */
interface Item {
  readonly handle?: string;
  readonly text: string;
}

/** What each row lists, by a name of the item. Each name is there once, at its last place. */
type Rows = Readonly<Record<RowName, Map<string, Item>>>;

function note(row: Map<string, Item>, name: string, item: Item): void {
  row.delete(name);
  row.set(name, item);
}

/**
 * Returns the fold of steps of a turn: the count of their calls and how they are opened, the files that they read, edited
 * and wrote, the commands with their last state, what failed, what the model activated or pinned, and the sentences of
 * answers about a decision. If a model has written a summary of the turn, its short text comes first.
 */
export function foldOf(context: PlanningContext, turn: number, steps: readonly number[]): Fold {
  const rows: Rows = {
    read: new Map(),
    edited: new Map(),
    wrote: new Map(),
    noted: new Map(),
    ran: new Map(),
    failed: new Map(),
    activated: new Map(),
    about: new Map(),
    said: new Map(),
  };
  const commands = new Map<string, Command>();
  const named = ({ handle, stored: { body } }: PoolEntry): string => {
    const weight = nameWeights[body.type === "toolcall" ? "answer" : "header"];
    const name = shortName(context.input.workspace, body, weight);
    return `${handle} ${name}${presenceOf(body) === "missing" ? " deleted" : ""}`;
  };
  let calls = 0;
  for (const step of steps) {
    const answer = context.answerAt({ turn, step });
    if (answer === undefined) continue;
    for (const block of answer.assistant)
      if (isText(block))
        for (const text of decisionsIn(block.text)) note(rows.said, text, { text });
    for (const [call, block] of callsOf(answer).entries()) {
      calls += 1;
      const known = context.resultAt({ turn, step, call });
      if (known === undefined) continue;
      const facts = context.toolFacts(block.name, argumentsOf(block.arguments));
      noteCall({ context, rows, commands, named }, known, facts);
    }
  }
  for (const { count, last, text } of commands.values()) {
    const { handle } = last;
    const times = count === 1 ? "" : `, ${count} times`;
    const state = hasFailed(last) ? " failed" : "";
    note(rows.ran, handle, { handle, text: `${handle}${state}${times}: ${text}` });
    rows.failed.delete(handle);
  }
  const names = new Set<string>();
  const texts = Object.entries(rows).flatMap(([name, found]) =>
    found.size === 0 ? [] : [rowText(name as RowName, found, names)],
  );
  const place = [turn + 1, context.input.chatHandle, turn + 1] as const;
  const header = calls === 1 ? foldHeaderOfOne.write(...place) : foldHeader.write(calls, ...place);
  const summary = context.epochs.summaryOf?.(turn);
  const all = summary === undefined ? texts : [`summary: ${summary}`, ...texts];
  const text = all.length === 0 ? header : `${header}\n${fenced(all.join("\n"))}`;
  // Some providers are sent the texts of an answer as one, so the last line ends here.
  return { steps, names: [...names], text: `${text}\n` };
}

/** Writes a row, and adds the handles that it names. */
function rowText(row: RowName, found: ReadonlyMap<string, Item>, names: Set<string>): string {
  const all = [...found.values()];
  // The last ones are about the state at the end.
  const shown = all.slice(-(mostOf[row] ?? mostNames));
  const texts = shown.map(({ text }) => text);
  for (const { handle } of shown) if (handle !== undefined) names.add(handle);
  if (row === "said") return texts.map((text) => `said: ${text}`).join("\n");
  if (row === "about") return texts.map((text) => `about ${text}`).join("\n");
  const left = all.length - shown.length;
  if (row === "ran") {
    const others = left === 0 ? [] : [`other commands: ${left}`];
    return [...others, ...texts.map((text) => `ran ${text}`)].join("\n");
  }
  const more = left === 0 ? [] : [`and ${left} more`];
  return `${row}: ${[...texts, ...more].join(", ")}`;
}

/** What is collected from the calls of a fold. */
interface Collected {
  readonly context: PlanningContext;
  readonly rows: Rows;
  /** The calls that are counted by their kind. */
  readonly commands: Map<string, Command>;
  readonly named: (entry: PoolEntry) => string;
}

function noteCall(
  { context, rows, commands, named }: Collected,
  call: PoolEntry,
  { kind, paths, contextTool, commandLine }: CallFacts,
): void {
  const { body } = call.stored;
  const noteObject = (row: RowName, entry: PoolEntry): void =>
    note(rows[row], entry.handle, { handle: entry.handle, text: named(entry) });
  if (hasFailed(call)) noteObject("failed", call);
  const about = noteOf(body);
  if (about !== undefined)
    note(rows.about, call.handle, { handle: call.handle, text: `${call.handle}: ${about}` });
  if (contextTool !== undefined && contextTool !== "read") {
    if (contextTool === "activate" || contextTool === "pin")
      for (const target of targetsOf(context, body)) noteObject("activated", target);
    return;
  }
  const files = targetsOf(context, body);
  const row = kind === "read" ? "read" : kind === "edit" ? "edited" : "wrote";
  if (kind === "read" || kind === "edit" || kind === "write") {
    if (hasFailed(call)) return;
    for (const file of files)
      noteObject(row !== "read" && isDocument(file.stored.body) ? "noted" : row, file);
    // A command that reads a file has no object of the file, so its last call is named.
    const shown = shownPaths(paths);
    if (files.length === 0 && shown !== "")
      note(rows[row], shown, { handle: call.handle, text: `${call.handle} ${shown}` });
    if (files.length > 0 || paths.length > 0) return;
  }
  const { tool, args_display: display } = body;
  const line = commandLine === undefined ? undefined : withoutPreparing(commandLine);
  const name = line === undefined ? textOf(tool) : commandName(line, kind);
  const text = line ?? textOf(display);
  const count = (commands.get(name)?.count ?? 0) + 1;
  // The last one of a kind moves to the end.
  commands.delete(name);
  commands.set(name, { count, last: call, text: beginning(text, longest.command) || name });
}

/** The calls of one kind: their count, and the last of them. */
interface Command {
  readonly count: number;
  readonly last: PoolEntry;
  readonly text: string;
}

/** Returns the first line of a text, up to the most characters. */
function beginning(text: string, most: number): string {
  const [first = "", ...others] = text.trim().split("\n");
  const line = oneLine(first).trim();
  if (line.length <= most) return others.length === 0 ? line : `${line} …`;
  return `${line.slice(0, most - 1).toWellFormed()}…`;
}

function textOf(field: JsonValue | undefined): string {
  return typeof field === "string" ? field : "";
}

function hasFailed({ stored }: PoolEntry): boolean {
  return stored.body["status"] === "fail";
}

/** Returns the files of a call, and the objects that a context tool showed. */
function targetsOf({ input }: PlanningContext, body: ObjectMetadata): readonly PoolEntry[] {
  const targets = body["target_refs"];
  const references = [
    ...fileReferences(body),
    ...(Array.isArray(targets) ? targets.filter(isReference) : []),
  ];
  return references.flatMap(({ id }) => input.pool.get(id) ?? []);
}

/** The ends of the first paths: enough to recognise them beside the handle of the call. */
function shownPaths(paths: readonly string[]): string {
  return paths
    .slice(0, 2)
    .map((path) => oneLine(path.split(/[/\\]/u).slice(-2).join("/")).slice(-32).toWellFormed())
    .join(" ");
}

/** A command that only prepares the one behind it, such as `cd folder &&`. */
const preparing = /^\s*(?:cd|export|set|source|\.)\s[^\n&;|]*(?:&&|;|\n)\s*/u;

function withoutPreparing(line: string): string {
  let rest = line;
  while (preparing.test(rest)) rest = rest.replace(preparing, "");
  return rest.trim() === "" ? line : rest;
}

/** Returns the name under which commands are counted: the program, and its own command as in `git status`. */
function commandName(line: string, kind: CallFacts["kind"]): string {
  const [program = "command", second = ""] = shellPipelines(line)[0]?.[0]?.words ?? [];
  const name = oneLine(program.split("/").at(-1) ?? program)
    .slice(0, 30)
    .toWellFormed();
  const isOwnCommand = kind !== "search" && /^[a-z][\w:-]{1,20}$/iu.test(second);
  return isOwnCommand ? `${name} ${second}` : name;
}

/** Words of a sentence about a decision or its reason. */
const deciding =
  /\b(?:decid(?:e|ed|ing)|decision|chose|choose|chosen|choice|instead of|rather than|because|root cause|turns out|conclu(?:de|ded|sion)|reason (?:is|was)|must not|will use|agreed)\b/iu;

/** Returns the sentences of an answer that are about a decision, each on one line. */
function decisionsIn(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/u)
    .filter((sentence) => deciding.test(sentence))
    .map((sentence) => beginning(sentence, longest.sentence));
}
