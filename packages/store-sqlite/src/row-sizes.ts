import type { ObjectId } from "@self-context-manager/objects";

import type { Connection, Row } from "./connection.ts";
import { heldKeys } from "./held-keys.ts";
import { inRanges } from "./in-ranges.ts";
import { unpackText } from "./packed-text.ts";
import { number } from "./row-values.ts";

/** What takes the room in the file of a store, in bytes. */
export interface FileSizes {
  /** The rows of each object, without the texts that are stored apart. */
  readonly objects: ReadonlyMap<ObjectId, ObjectRows>;
  /** The texts that are stored apart, each once. */
  readonly texts: readonly HeldText[];
  /** The pages of tables and indexes by what they are for, with the room in them that no row uses. */
  readonly pages: Readonly<Record<PageUse, number>>;
}

export interface ObjectRows {
  readonly versions: number;
  readonly bytes: number;
}

export interface HeldText {
  readonly bytes: number;
  /** The objects whose versions have the text. The first one had it first. */
  readonly holders: readonly ObjectId[];
}

/** `search`: what finds objects by fields, references and hashes. `documents`: the document index. */
export type PageUse = "versions" | "texts" | "search" | "documents" | "other" | "free";

/** Bytes of the numbers of a row and of its header. They take at least these in each row of `versions` and `chunks`. */
const numbersOf = { version: 36, text: 12 };

const columnsWithBytes = [
  "metadata",
  "delta",
  "content_hash",
  "metadata_view_hash",
  "object_hash",
  "further_hashes",
];

/** Measures the rows of a store in one transaction. No version is rebuilt. */
export function rowSizes(connection: Connection): FileSizes {
  return connection.transaction("read", () => {
    const ids = new Map(
      connection
        .all("SELECT key, id FROM objects")
        .map((row) => [number(row, "key"), row["id"] as ObjectId] as const),
    );
    const objects = new Map<ObjectId, ObjectRows>();
    for (const row of connection.all(
      "SELECT object, count(*) AS versions, " +
        `sum(${columnsWithBytes.map((name) => `coalesce(octet_length(${name}), 0)`).join(" + ")}) AS bytes ` +
        "FROM versions GROUP BY object",
    )) {
      const id = ids.get(number(row, "object"));
      const versions = number(row, "versions");
      if (id !== undefined)
        objects.set(id, { versions, bytes: number(row, "bytes") + versions * numbersOf.version });
    }
    return { objects, texts: heldTexts(connection, ids), pages: pageUses(connection) };
  });
}

function heldTexts(connection: Connection, ids: ReadonlyMap<number, ObjectId>): HeldText[] {
  const holders = new Map<number, Set<ObjectId>>();
  const last = Number(connection.first("SELECT max(seq) AS last FROM versions")?.["last"] ?? 0);
  const read = (from: number, to: number): readonly Row[] =>
    connection.all(
      "SELECT object, delta FROM versions WHERE seq BETWEEN ? AND ? AND delta IS NOT NULL ORDER BY seq",
      from,
      to,
    );
  for (const row of inRanges(1, last, read)) {
    if ("unreadable" in row) throw row.cause;
    const id = ids.get(number(row, "object"));
    for (const key of heldKeys(unpackText(row["delta"]))) {
      const known = holders.get(key);
      if (id === undefined) continue;
      if (known === undefined) holders.set(key, new Set([id]));
      else known.add(id);
    }
  }
  return connection
    .all("SELECT key, octet_length(text) + octet_length(hash) AS bytes FROM chunks")
    .map((row) => ({
      bytes: number(row, "bytes") + numbersOf.text,
      holders: [...(holders.get(number(row, "key")) ?? [])],
    }));
}

function pageUses(connection: Connection): FileSizes["pages"] {
  const pages = { versions: 0, texts: 0, search: 0, documents: 0, other: 0, free: 0 };
  for (const row of connection.all(
    "SELECT d.name, s.tbl_name AS holder, d.pgsize AS bytes FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name " +
      "WHERE d.aggregate = TRUE",
  ))
    pages[useOf(String(row["name"]), String(row["holder"]))] += number(row, "bytes");
  const { free = 0, size = 0 } =
    connection.first(
      "SELECT (SELECT freelist_count FROM pragma_freelist_count) AS free, (SELECT page_size FROM pragma_page_size) AS size",
    ) ?? {};
  pages.free = Number(free) * Number(size);
  return pages;
}

function useOf(name: string, table: string): PageUse {
  if (table.startsWith("document")) return "documents";
  if (table === "field_keys" || table === "refs") return "search";
  if (table !== "versions" && table !== "chunks") return "other";
  // What is not the table itself is an index of it.
  if (name !== table) return "search";
  return table === "versions" ? "versions" : "texts";
}
