import { classifyCall } from "../corpus/classify-call.ts";
import type { RecordedMessage, RecordedToolCall } from "../read/recorded-session.ts";
import type { Visibility } from "./call-view.ts";
import { countText, countTokens } from "./tokens.ts";
import { eachGram, gramLength, type WordNumbers, type Words, wordsOf } from "./words.ts";

/** The smallest size, in tokens, at which the arguments of a write count as an object for *miss+*. */
const largeArguments = 60;

/** A text that a later message may quote: a tool's result, or the large arguments of a call that writes. */
interface EvidenceObject {
  readonly kind: "result" | "arguments";
  readonly callId: string;
  /** The index of its row in the segment. */
  readonly row: number;
  /** The number of the model call whose answer contains it or comes before it. */
  readonly call: number;
  readonly tokens: number;
}

/** The position of an 8-gram in an object. */
interface Holder {
  readonly object: number;
  readonly start: number;
  readonly end: number;
}

/** An 8-gram that a message has only from objects. */
export interface UsedGram {
  /** Whether no arguments contain it. Only strict 8-grams count for *miss*; all count for *miss+*. */
  readonly isStrict: boolean;
  /** The objects before the message that contain it. */
  readonly holders: readonly Holder[];
}

/** The objects of a segment, and what its model calls quoted from them. */
export interface Evidence {
  readonly objects: readonly EvidenceObject[];
  /** By the number of the call in the segment, from 0; a call that used nothing has no entry. */
  readonly uses: ReadonlyMap<number, readonly UsedGram[]>;
}

interface Source {
  readonly words: Words;
  /** The position of the text in its object's text. */
  readonly offset: number;
  readonly object?: number;
  /** Whether the text is an argument: an object for *miss+*, other text for *miss*. */
  readonly isArgument: boolean;
}

interface Quoted {
  readonly row: number;
  readonly call: number;
  /** For each key, whether the 8-gram is strict. */
  readonly grams: ReadonlyMap<number, boolean>;
}

// Bits for the places where an 8-gram has appeared so far.
const inResult = 1;
const inArgument = 2;
const inOther = 4;

/**
 * Finds the 8-grams that each assistant message of a segment has from earlier tool results or large arguments, and from
 * no other earlier message.
 */
export function evidenceOf(rows: readonly RecordedMessage[]): Evidence {
  const numbers: WordNumbers = new Map();
  const objects: EvidenceObject[] = [];
  let answer = -1;
  const sources = rows.map((row, index) => {
    if (row.role === "assistant") answer += 1;
    return sourcesOf(row, { row: index, call: answer }, numbers, objects);
  });
  const seen = new Map<number, number>();
  const quoted: Quoted[] = [];
  let call = -1;
  for (const [index, row] of rows.entries()) {
    const here = sources[index] ?? [];
    if (row.role === "assistant") {
      call += 1;
      const grams = quotedGrams(row, here, seen);
      if (grams.size > 0) quoted.push({ row: index, call, grams });
    }
    for (const source of here) {
      const mark = markOf(source);
      eachGram(source.words, (key) => seen.set(key, (seen.get(key) ?? 0) | mark));
    }
  }
  return { objects, uses: usesOf(quoted, sources, objects) };
}

/** The 8-grams of a use that no object shows in its visible part. */
export function missingGrams(
  grams: readonly UsedGram[],
  shown: (object: number) => Visibility,
): readonly UsedGram[] {
  const known = new Map<number, Visibility>();
  const look = (object: number): Visibility => {
    let answer = known.get(object);
    if (answer === undefined) {
      answer = shown(object);
      known.set(object, answer);
    }
    return answer;
  };
  return grams.filter(({ holders }) => !holders.some((holder) => isVisible(holder, look)));
}

function isVisible({ object, start, end }: Holder, look: (object: number) => Visibility): boolean {
  const shown = look(object);
  if (shown === "whole") return true;
  if (shown === "none") return false;
  return shown.some((range) => range.start <= start && end <= range.end);
}

function markOf({ object, isArgument }: Source): number {
  if (object === undefined) return inOther;
  return isArgument ? inArgument : inResult;
}

/** The 8-grams of a message that come only from earlier objects; called before the message itself is added. */
function quotedGrams(
  row: RecordedMessage,
  sources: readonly Source[],
  seen: ReadonlyMap<number, number>,
): ReadonlyMap<number, boolean> {
  const grams = new Map<number, boolean>();
  const spoken = row.content.flatMap((block) =>
    block.type === "toolCall"
      ? stringsIn(block.arguments).map(() => true)
      : [block.type === "text"],
  );
  for (const [index, { words }] of sources.entries()) {
    if (spoken[index] !== true) continue;
    eachGram(words, (key) => {
      const mark = seen.get(key) ?? 0;
      if (mark === 0 || (mark & inOther) !== 0) return;
      grams.set(key, mark === inResult);
    });
  }
  return grams;
}

function usesOf(
  quoted: readonly Quoted[],
  sources: readonly (readonly Source[])[],
  objects: readonly EvidenceObject[],
): ReadonlyMap<number, readonly UsedGram[]> {
  const wanted = new Map<number, Holder[]>();
  for (const { grams } of quoted) for (const key of grams.keys()) wanted.set(key, []);
  for (const { words, object, offset } of sources.flat()) {
    if (object === undefined) continue;
    eachGram(words, (key, first) => {
      wanted.get(key)?.push({
        object,
        start: offset + (words.starts[first] ?? 0),
        end: offset + (words.ends[first + gramLength - 1] ?? 0),
      });
    });
  }
  const uses = new Map<number, readonly UsedGram[]>();
  for (const { row, call, grams } of quoted) {
    const used = [...grams].map(([key, isStrict]): UsedGram => {
      const holders = wanted.get(key) ?? [];
      return { isStrict, holders: holders.filter(({ object }) => rowOf(objects, object) < row) };
    });
    uses.set(call, used);
  }
  return uses;
}

function rowOf(objects: readonly EvidenceObject[], object: number): number {
  return objects[object]?.row ?? Number.POSITIVE_INFINITY;
}

/** The texts of a row, in the order of its blocks; a text of an object has the object's number. */
function sourcesOf(
  row: RecordedMessage,
  place: { readonly row: number; readonly call: number },
  numbers: WordNumbers,
  objects: EvidenceObject[],
): readonly Source[] {
  if (row.role === "toolResult") {
    const object = objects.length;
    objects.push({ kind: "result", callId: row.toolCallId, ...place, tokens: countTokens(row) });
    let offset = 0;
    return row.content.flatMap((block): readonly Source[] => {
      if (block.type !== "text") return [];
      const source = { words: wordsOf(block.text, numbers), offset, object, isArgument: false };
      // Text blocks are joined by a line feed.
      offset += block.text.length + 1;
      return [source];
    });
  }
  return row.content.flatMap((block): readonly Source[] => {
    switch (block.type) {
      case "text":
        return [{ words: wordsOf(block.text, numbers), offset: 0, isArgument: false }];
      case "thinking":
        return [{ words: wordsOf(block.thinking, numbers), offset: 0, isArgument: false }];
      case "toolCall":
        return argumentSources(block, place, numbers, objects);
      case "image":
        return [];
    }
  });
}

function argumentSources(
  call: RecordedToolCall,
  place: { readonly row: number; readonly call: number },
  numbers: WordNumbers,
  objects: EvidenceObject[],
): readonly Source[] {
  const tokens = countText(JSON.stringify(call.arguments));
  const isObject = tokens >= largeArguments && writesWithArguments(call);
  const object = isObject ? { object: objects.length } : {};
  if (isObject) objects.push({ kind: "arguments", callId: call.id, ...place, tokens });
  return stringsIn(call.arguments).map((text) => ({
    words: wordsOf(text, numbers),
    offset: 0,
    isArgument: true,
    ...object,
  }));
}

/** Whether the arguments contain the written text: a write, an edit, a patch, or a command with a here-document. */
function writesWithArguments(call: RecordedToolCall): boolean {
  const { kind } = classifyCall(call.name, call.arguments);
  if (kind === "write" || kind === "edit") return true;
  if (kind !== "command" && kind !== "read" && kind !== "search") return false;
  return [call.arguments["command"], call.arguments["cmd"], call.arguments["input"]].some(
    (value) => typeof value === "string" && value.includes("<<"),
  );
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(stringsIn);
  return [];
}
