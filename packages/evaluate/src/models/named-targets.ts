import { hasWhole } from "../model/whole-words.ts";
import { type SeenMessage, textIn } from "./seen-request.ts";

/** An object, or lines of it, that a model can open again. */
export interface Target {
  /** A handle, the name of the chat, or an id. */
  readonly id: string;
  readonly turn?: number;
  readonly from?: number;
  readonly to?: number;
}

/**
 * Returns the objects without their content that a request names for a source, those that were named last first. A source
 * is a path, a command, or words of a prompt.
 */
export function namedTargets(source: string, messages: readonly SeenMessage[]): readonly Target[] {
  const found = [
    ...ofCalls(source, messages),
    ...ofLines(source, messages),
    ...ofTurns(source, messages),
  ];
  return found.filter((one, index) => found.findIndex((other) => isSame(one, other)) === index);
}

/** Returns the objects in the answer of a search, the best first. */
export function foundTargets(answer: string): readonly Target[] {
  return answer.split("\n").flatMap((line): readonly Target[] => {
    const [, id] = /^- ([\w-]+) /u.exec(line) ?? [];
    // The search finds its own words in the chat.
    if (id === undefined || /: --- toolcall .*find_objects/u.test(line)) return [];
    if (handle.test(id)) return [{ id }];
    // Of a chat only the lines around the one that was found.
    const place = Number(/, line (\d+)/u.exec(line)?.[1] ?? 1);
    return [{ id, from: Math.max(1, place - 2), to: place + 20 }];
  });
}

/** How much a talk is about a source: 1 if it has all of it, otherwise the share of its words. A path counts as a whole. */
function aboutSource(text: string, source: string): number {
  if (hasWhole(plain(text), plain(source))) return 1;
  return isPath(source) ? 0 : sharedWords(text, source);
}

/** Whether a source looks like the path of a file, not like a command or words. */
export function isPath(source: string): boolean {
  return !source.includes(" ") && /[./]/u.test(source);
}

function sharedWords(text: string, source: string): number {
  const wanted = wordsIn(source);
  const there = new Set(wordsIn(text));
  return wanted.filter((word) => there.has(word)).length / Math.max(1, wanted.length);
}

const letters = "[ftncsevuo]";
const handle = new RegExp(`^${letters}\\d+$`, "u");
const anyHandle = new RegExp(`(?<![\\w/.-])${letters}\\d+(?![\\w/.-])`, "gu");

function isSame(one: Target, other: Target): boolean {
  return one.id === other.id && one.turn === other.turn && one.from === other.from;
}

/** A result that is a line or is cut, below its call, and texts of a call that have left. */
function ofCalls(source: string, messages: readonly SeenMessage[]): readonly Target[] {
  const calls = new Map(
    messages.flatMap((message) => message.calls.map((call) => [call.id, call])),
  );
  return messages.toReversed().flatMap((message): readonly Target[] => {
    if (message.role === "assistant")
      return message.calls.flatMap((call) => {
        const text = textIn(call.arguments);
        if (!isNamed(text, source)) return [];
        return [...text.matchAll(argumentStub)].map(([, id = "", version = ""]) => ({
          id: `${id}@${version}`,
        }));
      });
    const call = calls.get(message.callId ?? "");
    if (call === undefined || !isNamed(textIn(call.arguments), source)) return [];
    const [, line] = resultLine.exec(message.text) ?? [];
    const [, cut] = omission.exec(message.text) ?? [];
    return [line, cut].flatMap((id) => (id === undefined ? [] : [{ id }]));
  });
}

const argumentStub = new RegExp(`\\d+ characters, now in (${letters}\\d+) v(\\d+)\\]`, "gu");
const resultLine = new RegExp(`^\\[(${letters}\\d+) [^\\n]*\\]$`, "mu");
const omission = new RegExp(
  `\\[(?:\\d+ characters|\\w+) not shown; [^\\n]*activate (chat|${letters}\\d+) `,
  "u",
);

/** A line that has a handle before the name of the source, such as a metadata line or a row of a fold. */
function ofLines(source: string, messages: readonly SeenMessage[]): readonly Target[] {
  return messages.toReversed().flatMap(({ role, text }) => {
    if (role === "system") return [];
    const lines = text.split("\n");
    return lines
      .filter((line, index) => !isHeader(line, lines[index + 1]))
      .map((line, index, all) =>
        // In an earlier turn that was opened, the arguments are below the name of the call.
        line.startsWith("--- toolcall ") ? `${line} ${all[index + 1] ?? ""}` : line,
      )
      .toReversed()
      .flatMap((line) => handlesBefore(source, line).map((id) => ({ id })));
  });
}

/** The line above a content. Its object is in view already. */
function isHeader(line: string, next: string | undefined): boolean {
  return !line.startsWith("[") && !line.startsWith("- ") && (next ?? "").startsWith("~~~");
}

function handlesBefore(source: string, line: string): readonly string[] {
  const places = [...line.matchAll(anyHandle)];
  return places.flatMap((place, index) => {
    const end = places[index + 1]?.index ?? line.length;
    return isNamed(line.slice(place.index + place[0].length, end), source) ? [place[0]] : [];
  });
}

/** Whether a text has a source by its name, which can be cut at its beginning or its end. */
function isNamed(text: string, source: string): boolean {
  const name = plain(source);
  const said = plain(text);
  if (hasWhole(said, name)) return true;
  return [...said.matchAll(/(\S*)…(\S*)/gu)].some(([all, before = "", after = ""], index) => {
    if (after.length > 5 && name.endsWith(after)) return true;
    const start = said.slice(0, said.indexOf(all, index) + before.length);
    const words = start.split(/["' ]/u).filter((word) => word !== "");
    const last = words.slice(-2).join(" ");
    return last.length > 5 && name.includes(last);
  });
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/gu, " ").trim();
}

/** A talk that is about a source has at least this share of its words. */
const leastShare = 0.6;

/** Turns that are folded or not shown, and messages of the user that are shown in part, the most fitting first. */
function ofTurns(source: string, messages: readonly SeenMessage[]): readonly Target[] {
  const talks = messages.flatMap(({ role, text }, index): readonly (Target & Talk)[] => {
    const before = messages.slice(0, index).findLast((one) => one.role === "user")?.text ?? "";
    const folded = [...text.matchAll(fold)].map(([all, id = "", turn]) => ({
      id,
      turn: Number(turn),
      about: Math.max(
        aboutSource(text.slice(text.indexOf(all)), source),
        aboutSource(before, source),
      ),
    }));
    const left = text.includes("are not shown; activate ")
      ? [...text.matchAll(/^(\d+)\. (.+)$/gmu)].map(([, turn, words = ""]) => ({
          id: "chat",
          turn: Number(turn),
          about: aboutSource(words, source),
        }))
      : [];
    const [, part] = omission.exec(text) ?? [];
    const isPart = role === "user" && part !== undefined;
    return [
      ...folded,
      ...left,
      ...(isPart ? [{ id: part, about: aboutSource(text, source) }] : []),
    ];
  });
  return talks
    .filter(({ about }) => about >= leastShare)
    .toReversed()
    .toSorted((one, other) => other.about - one.about)
    .map(({ about: _about, ...target }) => target);
}

interface Talk {
  readonly about: number;
}

const fold = /\[\d+ calls? of turn \d+ (?:is|are) folded; activate (\S+) with turn (\d+) shows/gu;

function wordsIn(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(/\p{N}+|[\p{L}\p{N}_]{3,}/gu))];
}
