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
import { packText, unpackText } from "./packed-text.ts";
import { number } from "./version-rows.ts";

/**
 * The tables of documents: names, links and tags of latest versions, and how far the versions were read.
 *
 * - `documents.parsed` is the document without its links, packed by `packText`; null for an object that is no document.
 * - `document_links.link` is a link as `storedLink` has it, and `document_link_keys` has its keys.
 */
export const documentTables = `
  CREATE TABLE documents (
    object INTEGER PRIMARY KEY REFERENCES objects (key),
    version INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    names TEXT NOT NULL,
    parsed ANY
  ) STRICT;

  CREATE TABLE document_names (
    key TEXT NOT NULL,
    object INTEGER NOT NULL REFERENCES objects (key),
    PRIMARY KEY (key, object)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX document_names_by_object ON document_names (object);

  CREATE TABLE document_links (
    object INTEGER NOT NULL REFERENCES objects (key),
    place INTEGER NOT NULL,
    link TEXT NOT NULL,
    PRIMARY KEY (object, place)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE document_link_keys (
    key TEXT NOT NULL,
    object INTEGER NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (key, object, place)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX document_link_keys_by_object ON document_link_keys (object);

  CREATE TABLE document_tags (
    tag TEXT NOT NULL,
    object INTEGER NOT NULL REFERENCES objects (key),
    PRIMARY KEY (tag, object)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX document_tags_by_object ON document_tags (object);

  CREATE TABLE document_state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    parser TEXT NOT NULL,
    position TEXT NOT NULL
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

export function documentRows(connection: Connection): DocumentRows {
  function state(parser: string): string | undefined {
    const row = connection.first("SELECT position FROM document_state WHERE parser = ?", parser);
    return row === undefined ? undefined : String(row["position"]);
  }

  function isOf(parser: string): boolean {
    return state(parser) !== undefined;
  }

  function keep(entry: IndexEntry): void {
    const { names, version, contentHash, document, keys } = entry;
    const row = connection.first(
      "SELECT o.key, d.version FROM objects o LEFT JOIN documents d ON d.object = o.key WHERE o.id = ?",
      names.id,
    );
    if (row === undefined || Number(row["version"] ?? 0) > version) return;
    const object = number(row, "key");
    if (row["version"] !== null)
      for (const table of tables) connection.run(`DELETE FROM ${table} WHERE object = ?`, object);
    const { links = [], ...rest } = document ?? {};
    connection.run(
      "INSERT INTO documents (object, version, content_hash, names, parsed) VALUES (?, ?, ?, ?, ?)",
      object,
      version,
      contentHash,
      JSON.stringify(withoutId(names)),
      document === undefined ? null : packText(JSON.stringify(rest)),
    );
    for (const key of keys.names)
      connection.run(
        "INSERT OR IGNORE INTO document_names (key, object) VALUES (?, ?)",
        key,
        object,
      );
    for (const tag of keys.tags)
      connection.run(
        "INSERT OR IGNORE INTO document_tags (tag, object) VALUES (?, ?)",
        tag,
        object,
      );
    links.forEach((link, place) => {
      connection.run(
        "INSERT INTO document_links (object, place, link) VALUES (?, ?, ?)",
        object,
        place,
        storedLink(link),
      );
      for (const key of keys.links[place] ?? []) {
        connection.run(
          "INSERT OR IGNORE INTO document_link_keys (key, object, place) VALUES (?, ?, ?)",
          key,
          object,
          place,
        );
      }
    });
  }

  function linksOf(object: number): readonly ParsedLink[] {
    return connection
      .all("SELECT link FROM document_links WHERE object = ? ORDER BY place", object)
      .map((row) => readStoredLink(String(row["link"])));
  }

  return {
    position: state,

    keep(parser, entries, position) {
      if (!isOf(parser)) for (const table of tables) connection.run(`DELETE FROM ${table}`);
      entries.forEach(keep);
      connection.run(
        "INSERT OR REPLACE INTO document_state (one, parser, position) VALUES (1, ?, ?)",
        parser,
        position,
      );
    },

    entries(parser, ids) {
      if (!isOf(parser)) return ids.map(() => undefined);
      const rows = connection.all(
        "SELECT o.id, d.* FROM json_each(?) j CROSS JOIN objects o ON o.id = j.value JOIN documents d ON d.object = o.key",
        JSON.stringify([...new Set(ids)]),
      );
      const found = new Map(
        rows.map((row) => {
          const { parsed } = row;
          const object: IndexedObject = {
            names: namesOf(row),
            version: number(row, "version"),
            contentHash: String(row["content_hash"]),
            ...(parsed === null
              ? {}
              : { document: documentOf(unpackText(parsed), linksOf(number(row, "object"))) }),
          };
          return [object.names.id, object] as const;
        }),
      );
      return ids.map((id) => found.get(id));
    },

    named(parser, keys) {
      if (!isOf(parser)) return [];
      return connection
        .all(
          `SELECT DISTINCT o.id, d.names FROM json_each(?) j
           CROSS JOIN document_names n ON n.key = j.value
           JOIN documents d ON d.object = n.object JOIN objects o ON o.key = n.object`,
          JSON.stringify(keys),
        )
        .map(namesOf);
    },

    linking(parser, keys) {
      if (!isOf(parser)) return [];
      return connection
        .all(
          `SELECT DISTINCT o.id, d.names, l.place, l.link FROM json_each(?) j
           CROSS JOIN document_link_keys k ON k.key = j.value
           JOIN document_links l ON l.object = k.object AND l.place = k.place
           JOIN documents d ON d.object = k.object JOIN objects o ON o.key = k.object`,
          JSON.stringify(keys),
        )
        .map(linkOf);
    },

    tagged(parser, tag) {
      if (!isOf(parser)) return [];
      return connection
        .all(
          "SELECT o.id FROM document_tags t JOIN objects o ON o.key = t.object WHERE t.tag = ?",
          tag,
        )
        .map((row) => row["id"] as ObjectId);
    },

    tags(parser) {
      if (!isOf(parser)) return [];
      return connection
        .all("SELECT tag, count(*) AS objects FROM document_tags GROUP BY tag")
        .map((row) => ({ tag: String(row["tag"]), objects: number(row, "objects") }));
    },

    links(parser, after, limit) {
      if (!isOf(parser)) return [];
      const documents = connection.all(
        `SELECT o.id, count(*) AS links FROM objects o JOIN document_links l ON l.object = o.key
         WHERE o.id > ? GROUP BY o.id ORDER BY o.id LIMIT ?`,
        after,
        limit,
      );
      // A page ends with the last link of a document, so that the next one can begin with another document.
      const page: string[] = [];
      let links = 0;
      for (const row of documents) {
        if (links >= limit) break;
        page.push(String(row["id"]));
        links += number(row, "links");
      }
      return connection
        .all(
          `SELECT o.id, d.names, l.place, l.link FROM json_each(?) j
           CROSS JOIN objects o ON o.id = j.value JOIN documents d ON d.object = o.key
           JOIN document_links l ON l.object = o.key ORDER BY j.key, l.place`,
          JSON.stringify(page),
        )
        .map(linkOf);
    },
  };
}

function withoutId(names: IndexedNames): Omit<IndexedNames, "id"> {
  const { id: _, ...others } = names;
  return others;
}

function namesOf(row: Row): IndexedNames {
  const names = JSON.parse(String(row["names"])) as Omit<IndexedNames, "id">;
  return { id: row["id"] as ObjectId, ...names };
}

function linkOf(row: Row): IndexedLink {
  return {
    from: namesOf(row),
    index: number(row, "place"),
    link: readStoredLink(String(row["link"])),
  };
}

function documentOf(parsed: string, links: readonly ParsedLink[]): ParsedDocument {
  return { ...(JSON.parse(parsed) as Omit<ParsedDocument, "links">), links };
}
