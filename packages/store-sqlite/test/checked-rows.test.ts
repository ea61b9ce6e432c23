import { objectId, type ObjectStore } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";

import { sqlitePlace } from "./sqlite-place.ts";

const [a, b] = [objectId("a"), objectId("b")];
const parser = "a parser";
const request = [
  {
    object: sample("b", { content: "x".repeat(2_000), to: { ref: "dynamic", id: "nowhere" } }),
  },
];

type Read = (store: ObjectStore) => Promise<unknown>;

const lastOf =
  (id: typeof a): Read =>
  async (store) =>
    await store.get(id);

const allOf =
  (id: typeof a): Read =>
  async (store) => {
    const read = [];
    for await (const stored of store.versions(id)) read.push(stored);
    return read;
  };

/** A change of the file behind the store's back, and a read that must not pass it on. */
const damages: readonly (readonly [what: string, sql: string, read: Read])[] = [
  ["a time", "UPDATE versions SET tx_time = tx_time + 1 WHERE version = 3", lastOf(a)],
  ["a transaction", "UPDATE versions SET tx_id = 9 WHERE version = 3", (s) => s.describe([a])],
  [
    "a hash",
    "UPDATE versions SET object_hash = zeroblob(32) WHERE version = 2",
    (s) => s.history(a),
  ],
  ["metadata", `UPDATE versions SET metadata = '{"id":"a"}' WHERE version = 1`, (s) => s.find({})],
  ["a delta", "UPDATE versions SET delta = '[0,{}]' WHERE version = 2", lastOf(a)],
  [
    "a delta that is read in order",
    "UPDATE versions SET delta = '[0,{}]' WHERE version = 2",
    allOf(a),
  ],
  ["a delta that is gone", "UPDATE versions SET delta = NULL WHERE version = 2", lastOf(a)],
  ["a long text", "UPDATE chunks SET text = 'another text'", lastOf(b)],
  ["the number of the latest version", "UPDATE objects SET head = 2 WHERE id = 'a'", lastOf(a)],
  ["a nickname", "UPDATE objects SET nickname = 'y' WHERE id = 'a'", lastOf(a)],
  ["a lost version in a history", "DELETE FROM versions WHERE version = 2", (s) => s.history(a)],
  [
    "a lost version by its number",
    "DELETE FROM versions WHERE version = 2",
    (s) => s.get(a, { version: 2 }),
  ],
  [
    "a lost version by its transaction",
    "DELETE FROM versions WHERE version = 2",
    (s) => s.get(a, { txId: 2 }),
  ],
  ["a lost version in order", "DELETE FROM versions WHERE version = 2", allOf(a)],
  [
    "a lost version among changes",
    "DELETE FROM versions WHERE version = 2",
    (s) => s.changesSince(),
  ],
  [
    "a lost last version",
    "DELETE FROM versions WHERE seq = (SELECT max(seq) FROM versions)",
    (s) => s.changesSince(),
  ],
  [
    "the last transaction",
    "UPDATE clock SET tx_id = 77",
    (s) => s.commit([{ object: sample("c") }]),
  ],
  [
    "the outcome of a request",
    `UPDATE requests SET outcome = '[]'`,
    async (s) => await s.commit(request, { requestId: "r" }),
  ],
  ["a reference of another object", "UPDATE refs SET target = 'a'", (s) => s.referrers(a)],
  [
    "the names of a document",
    `UPDATE documents SET names = '{"aliases":[]}'`,
    (s) => s.documents.entries(parser, [a]),
  ],
  [
    "a key of a name",
    "UPDATE document_names SET key = 'm'",
    (s) => s.documents.named(parser, ["m"]),
  ],
  ["a tag", "UPDATE document_tags SET tag = 'u'", (s) => s.documents.tagged(parser, "u")],
  ["a tag in the list", "UPDATE document_tags SET tag = 'u'", (s) => s.documents.tags(parser)],
  ["a link", `UPDATE document_links SET link = '[0,1,"z"]'`, (s) => s.documents.links(parser)],
  ["a lost link", "DELETE FROM document_links", (s) => s.documents.links(parser)],
  [
    "the position of the index",
    "UPDATE document_state SET position = '1'",
    (s) => s.documents.position(parser),
  ],
];

it.each(damages)("does not pass on %s that another program changed", async (_, sql, read) => {
  await using place = await filledPlace();
  {
    await using store = await place.open();
    await expect(read(store)).resolves.toBeDefined();
  }
  using database = new DatabaseSync(place.path);
  database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);

  await using store = await place.open();

  await expect(read(store)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
});

/** Exchanges values of versions 2 and 3 of the first object. */
const exchange = (column: string): string =>
  `UPDATE versions SET ${column} = -${column} WHERE object = 1 AND version IN (2, 3);
   UPDATE versions SET ${column} = 5 + ${column} WHERE ${column} < 0`;

/** An index, the column that it finds wrongly, how its entries were changed, and a read that uses it. */
const wrongIndexes: readonly (readonly [index: string, column: string, sql: string, read: Read])[] =
  [
    [
      "objects_by_nickname",
      "nickname",
      "UPDATE objects SET nickname = 'y' WHERE id = 'a'",
      (s) => s.lookup("y"),
    ],
    ["versions_by_number", "version", exchange("version"), lastOf(a)],
    ["versions_by_number", "version", exchange("version"), (s) => s.find({})],
    ["versions_by_transaction", "tx_id", exchange("tx_id"), (s) => s.get(a, { txId: 2 })],
    [
      "versions_by_transaction",
      "tx_id",
      "UPDATE versions SET tx_id = 9 WHERE object = 1 AND version = 2",
      (s) => s.get(a, { txId: 2 }),
    ],
    [
      "versions_by_content",
      "content_hash",
      "UPDATE versions SET content_hash = zeroblob(32) WHERE content_hash <> x''",
      async (s) => {
        const found = await s.get(b);
        return await s.get(b, { contentHash: found?.hashes.content_hash ?? "" });
      },
    ],
  ];

it.each(wrongIndexes)("does not follow a wrong index %s", async (index, column, sql, read) => {
  await using place = await filledPlace();
  changeIndex(place.path, index, column, sql);

  await using store = await place.open();

  await expect(read(store)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
});

/** Changes rows, and then gives them their values again while SQLite does not know that the index exists. */
function changeIndex(path: string, index: string, column: string, sql: string): void {
  const open = (): DatabaseSync => new DatabaseSync(path, { defensive: false });
  const table = index.replace(/_by_.*/u, "");
  using first = open();
  const rows = first.prepare(`SELECT rowid AS place, ${column} AS value FROM ${table}`).all();
  first.exec(sql);
  const entry = first.prepare("SELECT * FROM sqlite_schema WHERE name = ?").get(index) ?? {};
  first.exec(`PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '${index}'`);
  first.close();
  using second = open();
  const restore = second.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`);
  for (const { place = null, value = null } of rows) restore.run(value, place);
  second.exec("PRAGMA writable_schema = ON");
  second
    .prepare("INSERT INTO sqlite_schema VALUES (:type, :name, :tbl_name, :rootpage, :sql)")
    .run(entry);
}

/** Returns the place of a store with three versions of an object, a request with a long text, and a document. */
async function filledPlace(): ReturnType<typeof sqlitePlace> {
  const place = await sqlitePlace();
  await using store = await place.open();
  for (const count of [1, 2, 3])
    await store.commit([
      {
        object: sample("a", {
          nickname: "x",
          turns: [{ user: `turn ${count}` }],
          count: count === 1 ? 1 : 2,
        }),
      },
    ]);
  await store.commit(request, { requestId: "r" });
  const { position } = await store.changesSince();
  await store.documents.keep(parser, [entry], position);
  return place;
}

const entry = {
  names: { id: a, path: "/work/a.md", aliases: ["n"] },
  version: 3,
  contentHash: "hash",
  document: {
    parser,
    front_matter: { state: "valid", fields: {} },
    aliases: ["n"],
    headings: [],
    links: [{ path: "content", range: [0, 5], syntax: "wiki", raw: "b", name: "b" }],
    tags: [{ path: "content", range: [0, 1], tag: "t" }],
  },
  keys: { names: ["n"], links: [["b"]], tags: ["t"] },
} as const;
