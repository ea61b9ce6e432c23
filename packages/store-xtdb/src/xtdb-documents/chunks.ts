import {
  boundedMap,
  type ChunkReader,
  type ChunkWriter,
  heldTextKeys,
  type JsonValue,
  sha256,
} from "@self-context-manager/objects";

import type { XtdbDocuments } from "./xtdb-documents.ts";
import type { CallBudget } from "../client/call-budget.ts";
import type { Document, JsonDocument, NodeClient } from "../client/node-client.ts";
import { pullDocuments } from "../client/pull-documents.ts";
import { packText, unpackText } from "./packed-text.ts";
import { DamageError } from "../client/xtdb-errors.ts";

/** Long texts. Each is stored once, by its hash, in pieces that fit into every log and document store of XTDB. */
export interface Chunks {
  /** Returns an empty collection for the texts of one commit, in a generation of the store. */
  collect(generation: number): ChunkCollection;
  /** Returns an empty collection that has the documents of all texts but the given ones. */
  collectAll(generation: number, without: ReadonlySet<string>): ChunkCollection;
  /** Forgets which texts are stored. */
  forget(): void;
  /** Loads the texts of all given keys. The returned reader has them in memory. */
  load(keys: Iterable<string>, budget: CallBudget): Promise<ChunkReader>;
}

export interface ChunkCollection extends ChunkWriter {
  write(text: string): string;
  /**
   * Returns the form in which an attribute contains a JSON text: the text itself, or `^` and its packed form if that is
   * shorter. A long text is stored as chunks, and its form is `~` and the key.
   */
  attribute(text: string): string;
  /** Returns the number of characters of all texts in the collection. */
  written(): number;
  /** Returns the hashes of the texts that were written since the last call. */
  used(): readonly string[];
  /** Returns the documents of the texts that are not known to be stored. */
  documents(): readonly JsonDocument[];
  /** Records that these documents are committed. */
  committed(): void;
}

/** Longest piece, in UTF-16 units: Kafka refuses documents above a million bytes, and a unit takes up to three bytes. */
const pieceLength = 200_000;

/** Longest text, in characters, that is stored in the document itself. */
const longestAttribute = 50_000;

/** Number of pieces that one query requests. */
const piecesAtOnce = 40;

/** Number of hashes that are remembered, so that a text is not sent again for each version that contains it. */
const mostKnown = 20_000;

export function chunks(client: NodeClient, names: XtdbDocuments): Chunks {
  const known = boundedMap<string, true>(mostKnown);

  function chunkOf(hash: string, text: string, generation: number): JsonDocument {
    const packed = packText(text);
    return {
      "xt/id": names.chunkId(hash),
      ...names.mark(generation),
      ...(packed === undefined
        ? { [names.attribute("text")]: text }
        : { [names.attribute("packed")]: packed }),
    };
  }

  function textOf(document: Document): string | undefined {
    const packed = names.read(document, "packed");
    if (typeof packed === "string") return unpackText(packed);
    const text = names.read(document, "text");
    return typeof text === "string" ? text : undefined;
  }

  function collection(
    generation: number,
    isStored: (hash: string) => boolean,
    committed: (hash: string) => void,
  ): ChunkCollection {
    const fresh = new Map<string, JsonDocument>();
    let used = new Set<string>();
    let characters = 0;
    const write = (text: string): string => {
      characters += text.length;
      const hashes = piecesOf(text).map((piece) => {
        const hash = sha256(piece);
        used.add(hash);
        if (!isStored(hash) && !fresh.has(hash)) fresh.set(hash, chunkOf(hash, piece, generation));
        return hash;
      });
      return hashes.join(",");
    };
    return {
      write,
      attribute(text) {
        if (text.length > longestAttribute) return `~${write(text)}`;
        const packed = packText(text);
        return packed === undefined ? text : `^${packed}`;
      },
      written: () => characters,
      used() {
        const hashes = [...used];
        used = new Set();
        return hashes;
      },
      documents: () => [...fresh.values()],
      committed: () => [...fresh.keys()].forEach(committed),
    };
  }

  return {
    collect: (generation) =>
      collection(
        generation,
        (hash) => known.has(hash),
        (hash) => known.set(hash, true),
      ),
    collectAll: (generation, without) =>
      collection(
        generation,
        (hash) => without.has(hash),
        () => undefined,
      ),
    forget: () => known.clear(),

    async load(keys, budget) {
      const hashes = [...new Set([...keys].flatMap((key) => key.split(",")))];
      const texts = new Map<string, string>();
      const ids = hashes.map((hash) => names.chunkId(hash));
      for (const [id, found] of await pullDocuments(client, ids, budget, {
        atOnce: piecesAtOnce,
      })) {
        const text = textOf(found);
        if (text === undefined) continue;
        const hash = id.slice(names.chunkId("").length);
        if (sha256(text) !== hash) throw new DamageError(`text ${hash} is not as it was stored`);
        texts.set(hash, text);
        known.set(hash, true);
      }
      return {
        read: (key) =>
          key
            .split(",")
            .map((hash) => {
              const text = texts.get(hash);
              if (text === undefined) throw new DamageError(`text ${hash} is missing`);
              return text;
            })
            .join(""),
      };
    },
  };
}

/** Returns the key of an attribute's text; undefined if the document itself contains the text. */
export function keyOfAttribute(text: string | undefined): string | undefined {
  return text?.startsWith("~") === true ? text.slice(1) : undefined;
}

/** Returns an attribute's text from any of its forms. */
export function attributeText(text: string, reader: ChunkReader): string {
  if (text.startsWith("^")) return unpackText(text.slice(1));
  const key = keyOfAttribute(text);
  return key === undefined ? text : reader.read(key);
}

/** Collects the keys that a delta can contain. A text that only looks like a key is collected too and does no harm. */
export function keysIn(value: JsonValue | undefined, into: Set<string>): void {
  if (typeof value === "string") {
    for (const key of heldTextKeys(value)) into.add(key);
  } else if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) keysIn(item, into);
  } else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) keysIn(item, into);
  }
}

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = start + pieceLength;
    // Both halves of a surrogate pair stay together, so that each piece is well-formed.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
