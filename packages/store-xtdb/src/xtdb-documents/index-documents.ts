import type {
  IndexedNames,
  IndexedObject,
  IndexEntry,
  JsonValue,
  ObjectId,
  ParsedDocument,
  ParsedLink,
} from "@self-context-manager/objects";

import type { Document, JsonDocument } from "../client/node-client.ts";
import { documentSums } from "./document-sums.ts";
import { packText, unpackText } from "./packed-text.ts";
import { DamageError } from "../client/xtdb-errors.ts";

/**
 * The documents of the document index: one for each object that has a name or says something about others, and one with
 * the position that was reached. With the store name `scm`:
 *
 * - `:scm.doc/of` is the object's document.
 * - `:scm.doc/names`, `:scm.doc/links` and `:scm.doc/tags` are the keys of its names, links and tags.
 * - `:scm.doc/relations` are the relations of its links.
 * - `:scm.doc/named` and `:scm.doc/parsed` are the JSON of its names and of what was parsed, packed by `packText` if it is
 *   long.
 */
export interface IndexDocuments {
  readonly stateId: string;
  state(parser: string, position: string): JsonDocument;
  readState(document: Document | undefined, parser: string): string | undefined;
  documentId(id: ObjectId): string;
  entry(parser: string, entry: IndexEntry): JsonDocument;
  read(document: Document): IndexedObject;
  readNames(document: Document): IndexedNames;
  /** Returns the links of a document with the keys of each. */
  readLinks(document: Document): readonly KeyedLink[];
  /** Returns the version that an entry describes. */
  readVersion(document: Document): number;
  /** Returns the name of an attribute. */
  attribute(name: IndexAttribute): string;
}

interface KeyedLink {
  readonly link: ParsedLink;
  readonly keys: readonly string[];
}

type IndexAttribute =
  | "parser"
  | "position"
  | "of"
  | "version"
  | "hash"
  | "names"
  | "links"
  | "tags"
  | "relations"
  | "named"
  | "parsed";

/** What `parsed` contains. */
interface Parsed {
  readonly document: ParsedDocument;
  readonly linkKeys: readonly (readonly string[])[];
}

export function indexDocuments(name: string, objectId: (id: string) => string): IndexDocuments {
  const attribute = (one: IndexAttribute): string => `${name}.doc/${one}`;
  const value = (document: Document, one: IndexAttribute): unknown => document[attribute(one)];
  const sums = documentSums(name);

  function json(document: Document, one: IndexAttribute): unknown {
    const text = value(document, one);
    if (text === undefined || text === null) return undefined;
    try {
      const packed = typeof text === "string" ? text : "";
      return JSON.parse(packed.startsWith("{") ? packed : unpackText(packed)) as unknown;
    } catch (cause) {
      const at = `document ${String(document["xt/id"])}`;
      throw new DamageError(`${at} has no JSON in ${attribute(one)}`, { cause });
    }
  }

  function readNames(document: Document): IndexedNames {
    const names = json(sums.checked(document), "named") as IndexedNames | undefined;
    if (names !== undefined) return names;
    throw new DamageError(`document ${String(document["xt/id"])} has no ${attribute("named")}`);
  }

  return {
    stateId: `${name}/documents`,
    state: (parser, position) =>
      sums.sealed({
        "xt/id": `${name}/documents`,
        [attribute("parser")]: parser,
        [attribute("position")]: position,
      }),
    readState: (document, parser) =>
      document === undefined || value(sums.checked(document), "parser") !== parser
        ? undefined
        : String(value(document, "position")),
    documentId: (id) => `${name}/document/${id}`,

    entry(parser, { names, version, contentHash, document, keys }) {
      const relations = [
        ...new Set((document?.links ?? []).flatMap(({ relation }) => relation ?? [])),
      ];
      const lists: readonly (readonly [IndexAttribute, readonly string[]])[] = [
        ["names", keys.names],
        ["links", [...new Set(keys.links.flat())]],
        ["tags", keys.tags],
        ["relations", relations],
      ];
      const parsed: Parsed | undefined =
        document === undefined ? undefined : { document, linkKeys: keys.links };
      const text = parsed === undefined ? undefined : JSON.stringify(parsed);
      const made: Record<string, JsonValue> = {
        [attribute("parser")]: parser,
        [attribute("of")]: objectId(names.id),
        [attribute("version")]: version,
        [attribute("hash")]: contentHash,
        [attribute("named")]: JSON.stringify(names),
        ...(text === undefined ? {} : { [attribute("parsed")]: packText(text) ?? text }),
      };
      for (const [one, list] of lists) if (list.length > 0) made[attribute(one)] = list;
      return sums.sealed({ ...made, "xt/id": `${name}/document/${names.id}` });
    },

    read(document) {
      const parsed = json(document, "parsed") as Parsed | undefined;
      return {
        names: readNames(document),
        version: Number(value(document, "version")),
        contentHash: String(value(document, "hash")),
        ...(parsed === undefined ? {} : { document: parsed.document }),
      };
    },
    readNames,
    readLinks(document) {
      const parsed = json(sums.checked(document), "parsed") as Parsed | undefined;
      return (parsed?.document.links ?? []).map((link, index) => ({
        link,
        keys: parsed?.linkKeys[index] ?? [],
      }));
    },
    readVersion: (document) => Number(value(document, "version")),
    attribute,
  };
}
