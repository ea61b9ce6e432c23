import {
  hashObject,
  objectId,
  sealObject,
  type StoredVersion,
} from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";

import { sqlitePlace, undoSchema4 } from "./sqlite-place.ts";

const id = objectId("person");
const to = { ref: "dynamic" as const, id: objectId("project") };
const person = { ...sample("person", { content: "# Ada" }).body, type: "person" };
const fields = { ...person, user: { name: "Ada", works_on: [to] }, entries: [to] };

/** Makes the file what schema 3 made: no numbers of hash rules, and nothing of the fields with opaque names. */
function makeFormer(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(`DELETE FROM refs; DELETE FROM fields WHERE name LIKE 'user%'; ${undoSchema4}`);
  database.close();
}

it("opens a store of schema 3 with its hashes, and finds what its indexes left out", async () => {
  await using place = await sqlitePlace();
  const at = { tx_id: 1, tx_time: "2026-01-01T00:00:00.000Z" };
  const former: StoredVersion = { body: fields, hashes: hashObject(fields, 1), version: 1, at };
  {
    await using store = await place.open();
    await store.restore([former]);
  }
  makeFormer(place.path);

  await using store = await place.open();

  expect(await store.get(id)).toEqual(former);
  const { items } = await store.referrers(to.id);
  expect(items.map(({ path }) => path).toSorted()).toEqual(["/entries/0", "/user/works_on/0"]);
  expect((await store.find({ where: { "user.name": "Ada" } })).items).toHaveLength(1);
  const again = await store.commit([{ object: sealObject(structuredClone(fields)) }]);
  expect(again.versions).toMatchObject([{ version: 1, changed: false }]);
  const next = sealObject({ ...structuredClone(fields), user: { works_on: [] } });
  await store.commit([{ object: next }]);
  expect((await store.get(id))?.hashes).toEqual(next.hashes);
  expect((await store.referrers(to.id)).items).toHaveLength(1);
});

it("opens a store of schema 4, whose document index is empty at first", async () => {
  await using place = await sqlitePlace();
  {
    await using store = await place.open();
    await store.commit([{ object: sealObject(structuredClone(fields)) }]);
  }
  const database = new DatabaseSync(place.path);
  database.exec(
    `DROP TABLE documents; DROP TABLE document_names; DROP TABLE document_links; DROP TABLE document_link_keys;
     DROP TABLE document_tags; DROP TABLE document_state; PRAGMA user_version = 4`,
  );
  database.close();

  await using store = await place.open();

  expect(await store.get(id)).toMatchObject({ version: 1 });
  expect(await store.documents.position("p")).toBeUndefined();
  expect(await store.documents.links("p")).toEqual([]);
  const entry = { names: { id, aliases: [] }, version: 1, contentHash: "0" };
  await store.documents.keep("p", [{ ...entry, keys: { names: ["a"], links: [], tags: [] } }], "1");
  expect(await store.documents.named("p", ["a"])).toEqual([entry.names]);
});

it("opens a store of schema 3 that has a damaged object", async () => {
  await using place = await sqlitePlace();
  {
    await using store = await place.open();
    await store.commit([{ object: sealObject(structuredClone(fields)) }]);
    await store.commit([{ object: sample("other") }]);
  }
  makeFormer(place.path);
  const database = new DatabaseSync(place.path);
  database.exec("UPDATE versions SET delta = x'00' WHERE object = 1");
  database.close();

  await using store = await place.open();

  expect((await store.get(objectId("other")))?.body.type).toBe(sample("other").body.type);
});
