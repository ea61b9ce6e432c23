import {
  type ChunkReader,
  type ChunkWriter,
  type JsonValue,
  sha256,
} from "@self-context-manager/objects";

import type { Documents } from "./documents.ts";
import type { Document, JsonDocument, NodeClient, CallBudget } from "./node-client.ts";
import { packText, unpackText } from "./packed-text.ts";
import { DamageError } from "./xtdb-errors.ts";

/** Long texts, kept once each: by their hash, in pieces that every log and document store of XTDB takes. */
export interface Chunks {
  /** Collects the documents of the texts that a commit brings. */
  collect(): ChunkCollection;
  /** Reads the texts behind all the given keys, so that they can be had at once. */
  load(keys: Iterable<string>, budget: CallBudget): Promise<ChunkReader>;
}

export interface ChunkCollection extends ChunkWriter {
  write(text: string): string;
  /**
   * JSON as it stands in an attribute: itself, `^` and its packed form where that is shorter, or where it is long `~` and
   * the key behind which it stands.
   */
  attribute(text: string): string;
  /** Characters of the texts given. */
  written(): number;
  /** The documents of texts that are not known to be there. */
  documents(): readonly JsonDocument[];
  /** Tells that these documents are committed. */
  committed(): void;
}

/** Kafka refuses documents above a million bytes, and a unit of text takes up to three. */
const pieceLength = 200_000;

/** Attributes of up to this many characters stand in the document itself. */
const longestAttribute = 50_000;

/** Pieces asked for at once. */
const piecesAtOnce = 40;

/** Hashes remembered, so that a text is not sent again for each version or object that has it. */
const mostKnown = 20_000;

export function chunks(client: NodeClient, names: Documents): Chunks {
  const known = new Set<string>();

  function remember(hash: string): void {
    known.delete(hash);
    known.add(hash);
    if (known.size > mostKnown) {
      for (const oldest of known) {
        known.delete(oldest);
        break;
      }
    }
  }

  function textOf(document: Document): string | undefined {
    const packed = names.read(document, "packed");
    if (typeof packed === "string") return unpackText(packed);
    const text = names.read(document, "text");
    return typeof text === "string" ? text : undefined;
  }

  return {
    collect() {
      const fresh = new Map<string, string>();
      let characters = 0;
      const write = (text: string): string => {
        characters += text.length;
        const hashes = piecesOf(text).map((piece) => {
          const hash = sha256(piece);
          if (!known.has(hash)) fresh.set(hash, piece);
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
        documents: () =>
          [...fresh].map(([hash, text]) => {
            const packed = packText(text);
            return {
              "xt/id": names.chunkId(hash),
              ...(packed === undefined
                ? { [names.attribute("text")]: text }
                : { [names.attribute("packed")]: packed }),
            };
          }),
        committed: () => [...fresh.keys()].forEach(remember),
      };
    },

    async load(keys, budget) {
      const hashes = [...new Set([...keys].flatMap((key) => key.split(",")))];
      const texts = new Map<string, string>();
      for (let start = 0; start < hashes.length; start += piecesAtOnce) {
        const ids = hashes.slice(start, start + piecesAtOnce).map((hash) => names.chunkId(hash));
        const rows = await client.query(
          "{:find [c (pull c [*])] :in [[c ...]] :where [[c :xt/id]]}",
          [ids],
          budget,
        );
        for (const [id, found] of rows) {
          const text = textOf(found as Document);
          if (text === undefined) continue;
          const hash = String(id).slice(names.chunkId("").length);
          texts.set(hash, text);
          remember(hash);
        }
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

/** The key behind which an attribute's text stands, undefined where it stands in the document. */
export function keyOfAttribute(text: string | undefined): string | undefined {
  return text?.startsWith("~") === true ? text.slice(1) : undefined;
}

/** An attribute's text, wherever it stands. */
export function attributeText(text: string, reader: ChunkReader): string {
  if (text.startsWith("^")) return unpackText(text.slice(1));
  const key = keyOfAttribute(text);
  return key === undefined ? text : reader.read(key);
}

/** The keys that a delta may name; a field's name that looks like one is among them, and does no harm. */
export function keysIn(value: JsonValue | undefined, into: Set<string>): void {
  if (typeof value === "string") {
    if (value.startsWith("~#")) into.add(value.slice(2));
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
    // Both halves of a pair stay together, so that each piece is well-formed.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
