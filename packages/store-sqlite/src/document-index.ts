import {
  type IndexedLink,
  type IndexedNames,
  type IndexedObject,
  type IndexEntry,
  type ObjectId,
  type ParsedDocument,
  type ParsedLink,
  readStoredLink,
  storedLink,
} from "@self-context-manager/objects";

import type { Connection, Row } from "./connection.ts";
import { objectColumns, objectOf, readObject } from "./object-rows.ts";
import { packText, unpackText } from "./packed-text.ts";
import { sumOf, textSum } from "./row-sums.ts";
import { DamageError } from "./sqlite-errors.ts";
import { number } from "./row-values.ts";

/**
 * The tables of documents: names, links and tags of latest versions, and how far the versions were read.
 *
 * - `documents.parsed` is the document without its links, packed by `packText`; null for an object that is no document.
 * - `documents.links` is the number of the document's links.
 * - `document_links.link` is a link as `storedLink` has it, and `document_link_keys` has its keys.
 * - `sum` is the checksum of the other values of the row, by `sumOf`.
 */
export const documentTables = `
  CREATE TABLE documents (
    object INTEGER PRIMARY KEY REFERENCES objects (key),
    version INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    names TEXT NOT NULL,
    parsed ANY,
    links INTEGER NOT NULL,
    sum INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE document_names (
    key TEXT NOT NULL,
    object INTEGER NOT NULL REFERENCES objects (key),
    sum INTEGER NOT NULL,
    PRIMARY KEY (key, object)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX document_names_by_object ON document_names (object);

  CREATE TABLE document_links (
    object INTEGER NOT NULL REFERENCES objects (key),
    place INTEGER NOT NULL,
    link TEXT NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (object, place)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE document_link_keys (
    key TEXT NOT NULL,
    object INTEGER NOT NULL,
    place INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (key, object, place)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX document_link_keys_by_object ON document_link_keys (object);

  CREATE TABLE document_tags (
    tag TEXT NOT NULL,
    object INTEGER NOT NULL REFERENCES objects (key),
    sum INTEGER NOT NULL,
    PRIMARY KEY (tag, object)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX document_tags_by_object ON document_tags (object);

  CREATE TABLE document_state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    parser TEXT NOT NULL,
    position TEXT NOT NULL,
    sum INTEGER NOT NULL
  ) STRICT;
`;

const tables = [
  "documents",
  "document_names",
  "document_links",
  "document_link_keys",
  "document_tags",
];

/** The operations of the document index. The caller runs each in one transaction. */
export interface DocumentRows {
  position(parser: string): string | undefined;
  keep(parser: string, entries: readonly IndexEntry[], position: string): void;
  entries(parser: string, ids: readonly ObjectId[]): readonly (IndexedObject | undefined)[];
  named(parser: string, keys: readonly string[]): readonly IndexedNames[];
  linking(parser: string, keys: readonly string[]): readonly IndexedLink[];
  tagged(parser: string, tag: string): readonly ObjectId[];
  tags(parser: string): readonly { readonly tag: string; readonly objects: number }[];
  links(parser: string, after: string, limit: number): readonly IndexedLink[];
}

/** Removes all entries. */
export function clearDocuments(connection: Connection): void {
  for (const table of [...tables, "document_state"]) connection.run(`DELETE FROM ${table}`);
}

export function documentRows(connection: Connection): DocumentRows {
  function state(parser: string): string | undefined {
    const row = connection.first(
      "SELECT parser, position, sum FROM document_state WHERE parser = ?",
      parser,
    );
    if (row === undefined) return undefined;
    return String(checked(row, "parser", "position")["position"]);
  }

  function isOf(parser: string): boolean {
    return state(parser) !== undefined;
  }

  /** Inserts a row with its checksum; a row that is there already is kept. */
  function insert(table: string, values: Readonly<Record<string, string | number>>): void {
    const names = Object.keys(values);
    const places = names.map(() => "?").join(", ");
    connection.run(
      `INSERT OR IGNORE INTO ${table} (${names.join(", ")}, sum) VALUES (${places}, ?)`,
      ...Object.values(values),
      sumOf(...Object.values(values)),
    );
  }

  function keep(entry: IndexEntry): void {
    const { names, version, contentHash, document, keys } = entry;
    const key = objectOf(connection, names.id)?.key;
    if (key === undefined) return;
    const row = connection.first("SELECT version FROM documents WHERE object = ?", key);
    if (Number(row?.["version"] ?? 0) > version) return;
    if (row !== undefined)
      for (const table of tables) connection.run(`DELETE FROM ${table} WHERE object = ?`, key);
    const { links = [], ...rest } = document ?? {};
    const parsed = document === undefined ? null : JSON.stringify(rest);
    const kept = JSON.stringify(withoutId(names));
    connection.run(
      "INSERT INTO documents (object, version, content_hash, names, parsed, links, sum) VALUES (?, ?, ?, ?, ?, ?, ?)",
      key,
      version,
      contentHash,
      kept,
      parsed === null ? null : packText(parsed),
      links.length,
      sumOfDocument([key, version, contentHash, links.length], kept, parsed),
    );
    for (const name of keys.names) insert("document_names", { key: name, object: key });
    for (const tag of keys.tags) insert("document_tags", { tag, object: key });
    links.forEach((link, place) => {
      insert("document_links", { object: key, place, link: storedLink(link) });
      for (const linkKey of keys.links[place] ?? [])
        insert("document_link_keys", { key: linkKey, object: key, place });
    });
  }

  /** Returns the rows of a document's links, in order. Throws `DamageError` if one is missing. */
  function linkRows(object: number, links: number): readonly Row[] {
    const rows = connection.all(
      "SELECT object, place, link, sum FROM document_links WHERE object = ? ORDER BY place",
      object,
    );
    if (rows.length !== links) throw damaged("document_links");
    return rows;
  }

  return {
    position: state,

    keep(parser, entries, position) {
      if (!isOf(parser)) clearDocuments(connection);
      entries.forEach(keep);
      connection.run(
        "INSERT OR REPLACE INTO document_state (one, parser, position, sum) VALUES (1, ?, ?, ?)",
        parser,
        position,
        sumOf(parser, position),
      );
    },

    entries(parser, ids) {
      if (!isOf(parser)) return ids.map(() => undefined);
      const rows = connection.all(
        `SELECT ${objectAndDocument} FROM json_each(?) j CROSS JOIN objects o ON o.id = j.value ${itsDocument}`,
        JSON.stringify([...new Set(ids)]),
      );
      const found = new Map(
        rows.map((row) => {
          const { names, parsed, object, links } = readDocument(row);
          const kept: IndexedObject = {
            names,
            version: number(row, "version"),
            contentHash: String(row["content_hash"]),
            ...(parsed === null
              ? {}
              : { document: documentOf(parsed, linkRows(object, links).map(linkIn)) }),
          };
          return [kept.names.id, kept] as const;
        }),
      );
      return ids.map((id) => found.get(id));
    },

    named(parser, keys) {
      if (!isOf(parser)) return [];
      const rows = connection.all(
        `SELECT n.key AS name, n.object, n.sum, ${objectAndDocument} FROM json_each(?) j
         CROSS JOIN document_names n ON n.key = j.value
         JOIN objects o ON o.key = n.object ${itsDocument}`,
        JSON.stringify(keys),
      );
      const found = new Map<number, IndexedNames>();
      for (const row of rows) {
        checked(row, "name", "object");
        const { object, names } = readDocument(row);
        found.set(object, names);
      }
      return [...found.values()];
    },

    linking(parser, keys) {
      if (!isOf(parser)) return [];
      const rows = connection.all(
        `SELECT DISTINCT k.object, k.place FROM json_each(?) j
         CROSS JOIN document_link_keys k ON k.key = j.value`,
        JSON.stringify(keys),
      );
      return rows.map((row) => linkAt(connection, number(row, "object"), number(row, "place")));
    },

    tagged(parser, tag) {
      if (!isOf(parser)) return [];
      return connection
        .all(
          `SELECT t.tag, t.object, t.sum, ${objectColumns} FROM document_tags t
           JOIN objects o ON o.key = t.object WHERE t.tag = ?`,
          tag,
        )
        .map((row) => readObject(checked(row, "tag", "object")).id);
    },

    tags(parser) {
      if (!isOf(parser)) return [];
      const objects = new Map<string, number>();
      for (const row of connection.all("SELECT tag, object, sum FROM document_tags")) {
        const tag = String(checked(row, "tag", "object")["tag"]);
        objects.set(tag, (objects.get(tag) ?? 0) + 1);
      }
      return [...objects].map(([tag, count]) => ({ tag, objects: count }));
    },

    links(parser, after, limit) {
      if (!isOf(parser)) return [];
      const documents = connection.all(
        `SELECT ${objectAndDocument} FROM objects o ${itsDocument}
         WHERE o.id > ? AND d.links > 0 ORDER BY o.id LIMIT ?`,
        after,
        limit,
      );
      // A page ends with the last link of a document, so that the next one can begin with another document.
      const page: IndexedLink[] = [];
      for (const row of documents) {
        if (page.length >= limit) break;
        const { names, object, links } = readDocument(row);
        for (const link of linkRows(object, links)) page.push(linkOf(names, link));
      }
      return page;
    },
  };
}

const objectAndDocument = `${objectColumns}, d.object AS document, d.version, d.content_hash, d.names, d.parsed, d.links, d.sum AS document_sum`;

const itsDocument = "JOIN documents d ON d.object = o.key";

interface DocumentRow {
  readonly object: number;
  readonly names: IndexedNames;
  /** The document as JSON, without its links; null for an object that is no document. */
  readonly parsed: string | null;
  /** The number of its links. */
  readonly links: number;
}

/** Returns a row with `objectAndDocument`. Throws `DamageError` if its values are not those that were written. */
function readDocument(row: Row): DocumentRow {
  const { id, key } = readObject(row);
  const parsed = row["parsed"] === null ? null : unpackText(row["parsed"]);
  const [names, links] = [String(row["names"]), number(row, "links")];
  const facts = [
    number(row, "document"),
    number(row, "version"),
    String(row["content_hash"]),
    links,
  ];
  if (sumOfDocument(facts, names, parsed) !== row["document_sum"]) throw damaged("documents");
  return {
    object: key,
    names: { id, ...(JSON.parse(names) as Omit<IndexedNames, "id">) },
    parsed,
    links,
  };
}

function sumOfDocument(
  facts: readonly (string | number)[],
  names: string,
  parsed: string | null,
): number {
  return sumOf(...facts, textSum(names), parsed === null ? null : textSum(parsed));
}

/** Returns a row. Throws `DamageError` if the sum of its values is another than that of the row. */
function checked(row: Row, ...names: readonly string[]): Row {
  const values = names.map((name) => row[name] as string | number);
  if (sumOf(...values) !== row["sum"]) throw damaged("a row");
  return row;
}

function damaged(what: string): DamageError {
  return new DamageError(`the document index (${what}) is not as it was stored`);
}

/** Returns the link at a place of a document. */
function linkAt(connection: Connection, object: number, place: number): IndexedLink {
  const row = connection.first(
    `SELECT l.object, l.place, l.link, l.sum, ${objectAndDocument} FROM document_links l
     JOIN objects o ON o.key = l.object ${itsDocument} WHERE l.object = ? AND l.place = ?`,
    object,
    place,
  );
  if (row === undefined) throw damaged("document_links");
  return linkOf(readDocument(row).names, row);
}

function withoutId(names: IndexedNames): Omit<IndexedNames, "id"> {
  const { id: _, ...others } = names;
  return others;
}

function linkOf(from: IndexedNames, row: Row): IndexedLink {
  return { from, index: number(row, "place"), link: linkIn(row) };
}

function linkIn(row: Row): ParsedLink {
  return readStoredLink(String(checked(row, "object", "place", "link")["link"]));
}

function documentOf(parsed: string, links: readonly ParsedLink[]): ParsedDocument {
  return { ...(JSON.parse(parsed) as Omit<ParsedDocument, "links">), links };
}
