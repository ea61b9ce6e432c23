import { madeOnce } from "@self-context-manager/objects";
import { classifyCall } from "../corpus/classify-call.ts";
import type { RecordedMessage, RecordedToolCall } from "../read/recorded-session.ts";
import { stringsIn } from "./argument-strings.ts";
import type { Visibility } from "./call-view.ts";
import { exactWords } from "./exact-text.ts";
import { hasPieces, type SharpPlace } from "./sharp-evidence.ts";
import { countText, countTokens } from "./tokens.ts";
import { eachGram, gramLength, type WordNumbers, type Words, wordsOf } from "./words.ts";

/** The smallest size, in tokens, at which the arguments of a write count as an object for *miss+*. */
const largeArguments = 60;

/**
 * A text that a later message may quote: a tool's result, the large arguments of a call that writes, other arguments, or
 * what an answer says or thinks.
 */
interface EvidenceObject {
  readonly kind: "result" | "arguments" | "other-arguments" | "said";
  /** The call of a result or of arguments; empty for what is said. */
  readonly callId: string;
  /** The index of its row in the segment. */
  readonly row: number;
  /** The number of the model call whose answer contains it or comes before it. */
  readonly call: number;
  readonly tokens: number;
  /** The text blocks of the result, or the strings in the arguments, joined by line feeds; one block of an answer. */
  readonly text: string;
}

/** The position of an 8-gram in an object's text. */
interface Holder {
  readonly object: number;
  readonly start: number;
  readonly end: number;
}

/** An 8-gram that a message has only from objects: no message of the user contains it. */
export interface UsedGram {
  /** Whether only results contain it. These 8-grams count for *miss*. */
  readonly isStrict: boolean;
  /** Whether only results and large arguments of writes contain it. These count for *miss+*. */
  readonly isOutput: boolean;
  /** Whether other arguments, answers or thinking contain it. These 8-grams count for the *miss of talk*. */
  readonly isTalk: boolean;
  /** The objects before the message that contain it. */
  readonly holders: readonly Holder[];
  /** The places in the message that count for sharp evidence; none if the text there is a path, for example. */
  readonly places: readonly SharpPlace[];
}

/** The objects of a segment, and what its model calls quoted from them. */
export interface Evidence {
  readonly objects: readonly EvidenceObject[];
  /** By the number of the call in the segment, from 0; a call that used nothing has no entry. */
  readonly uses: ReadonlyMap<number, readonly UsedGram[]>;
}

interface Source {
  readonly text: string;
  readonly words: Words;
  /** The position of the text in its object's text. */
  readonly offset: number;
  /** The number of the object; undefined for what the user says. */
  readonly object?: number;
  /** One of the bits below. */
  readonly mark: number;
  /** The name of the argument. */
  readonly name?: string;
}

/** The 8-grams of a message by their keys. */
type QuotedGrams = ReadonlyMap<number, Omit<UsedGram, "holders">>;

interface Quoted {
  readonly row: number;
  readonly call: number;
  readonly grams: QuotedGrams;
}

// Bits for the places where an 8-gram has appeared so far.
const inResult = 1;
const inLargeArgument = 2;
const inOtherTalk = 4;
const inUserMessage = 8;

/** Finds the 8-grams that each assistant message of a segment has from earlier messages that are not the user's. */
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
    for (const { words, mark } of here)
      eachGram(words, (key) => seen.set(key, (seen.get(key) ?? 0) | mark));
  }
  return { objects, uses: usesOf(quoted, sources, objects) };
}

/** The 8-grams of a use that no object shows in its visible part. */
export function missingGrams(
  grams: readonly UsedGram[],
  shown: (object: number) => Visibility,
): readonly UsedGram[] {
  const known = new Map<number, Visibility>();
  const look = (object: number): Visibility => madeOnce(known, object, shown);
  return grams.filter(({ holders }) => !holders.some((holder) => isVisible(holder, look)));
}

function isVisible({ object, start, end }: Holder, look: (object: number) => Visibility): boolean {
  const shown = look(object);
  if (shown === "whole") return true;
  if (shown === "none") return false;
  return shown.some((range) => range.start <= start && end <= range.end);
}

/** The 8-grams of a message that come only from earlier objects; called before the message itself is added. */
function quotedGrams(
  row: RecordedMessage,
  sources: readonly Source[],
  seen: ReadonlyMap<number, number>,
): QuotedGrams {
  const grams = new Map<
    number,
    Omit<UsedGram, "holders" | "places"> & { readonly places: SharpPlace[] }
  >();
  const spoken = row.content.flatMap((block) =>
    block.type === "toolCall"
      ? stringsIn(block.arguments).map(() => true)
      : [block.type === "text"],
  );
  for (const [index, source] of sources.entries()) {
    if (spoken[index] !== true) continue;
    let exact: readonly boolean[] | undefined;
    eachGram(source.words, (key, first) => {
      const mark = seen.get(key) ?? 0;
      if (mark === 0 || (mark & inUserMessage) !== 0) return;
      const gram = grams.get(key) ?? {
        isStrict: mark === inResult,
        isOutput: (mark & inOtherTalk) === 0,
        isTalk: (mark & inOtherTalk) !== 0,
        places: [],
      };
      grams.set(key, gram);
      const { starts, ends } = source.words;
      const last = first + gramLength;
      if (!hasPieces(source.text.slice(starts[first], ends[last - 1]))) return;
      exact ??= source.name === undefined ? [] : exactWords(source.name, source.text, source.words);
      const isExact = exact.length > 0 && exact.slice(first, last).every(Boolean);
      gram.places.push({ text: index, word: first, isExact });
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
    const used = [...grams].map(([key, gram]): UsedGram => {
      const holders = wanted.get(key) ?? [];
      return { ...gram, holders: holders.filter(({ object }) => rowOf(objects, object) < row) };
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
    const texts = row.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
    const tokens = countTokens(row);
    const one = { kind: "result", callId: row.toolCallId, ...place, tokens } as const;
    const object = addObject(objects, one, texts);
    return placed(texts, numbers).map((source) => ({ ...source, object, mark: inResult }));
  }
  const said = (text: string): readonly Source[] => {
    const source = { text, words: wordsOf(text, numbers), offset: 0 };
    if (row.role !== "assistant") return [{ ...source, mark: inUserMessage }];
    const one = { kind: "said", callId: "", ...place, tokens: countText(text) } as const;
    return [{ ...source, mark: inOtherTalk, object: addObject(objects, one, [text]) }];
  };
  return row.content.flatMap((block): readonly Source[] => {
    switch (block.type) {
      case "text":
        return said(block.text);
      case "thinking":
        return said(block.thinking);
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
  const isLarge = tokens >= largeArguments && writesWithArguments(call);
  const mark = isLarge ? inLargeArgument : inOtherTalk;
  const strings = stringsIn(call.arguments);
  const texts = strings.map(({ text }) => text);
  const kind = isLarge ? "arguments" : "other-arguments";
  const one = { kind, callId: call.id, ...place, tokens } as const;
  const object = addObject(objects, one, texts);
  return placed(texts, numbers).map((source, index) => {
    const { name = "" } = strings[index] ?? {};
    return { ...source, name, mark, object };
  });
}

/** Adds an object and returns its number. */
function addObject(
  objects: EvidenceObject[],
  object: Omit<EvidenceObject, "text">,
  texts: readonly string[],
): number {
  return objects.push({ ...object, text: texts.join("\n") }) - 1;
}

/** Returns texts with their positions in the text that joins them by line feeds. */
function placed(
  texts: readonly string[],
  numbers: WordNumbers,
): readonly Pick<Source, "text" | "words" | "offset">[] {
  let offset = 0;
  return texts.map((text) => {
    const source = { text, words: wordsOf(text, numbers), offset };
    offset += text.length + 1;
    return source;
  });
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
