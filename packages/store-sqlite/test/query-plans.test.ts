import {
  exportObjects,
  importObjects,
  objectId,
  type ObjectStore,
} from "@self-context-manager/objects";
import { arbitraryFields, sample, testScale } from "@self-context-manager/store-contract";
import * as fc from "fast-check";
import { DatabaseSync } from "node:sqlite";
import { expect, it, vi } from "vitest";

import { sqlitePlace } from "./sqlite-place.ts";

it("uses an index for every statement that it runs", async () => {
  await using place = await sqlitePlace();
  await using copyPlace = await sqlitePlace();
  const statements = await statementsOf(async () => {
    await using store = await place.open();
    await useEverything(store);
    await using copy = await copyPlace.open();
    await importObjects(copy, () => exportObjects(store));
  });

  const scans = planned(place.path, statements, /^(?:SELECT|INSERT|UPDATE|DELETE)/).filter(
    ({ sql, detail }) =>
      detail.startsWith("SCAN") && !isSmall(detail) && !isReadBackwards(sql, detail),
  );

  expect(scans).toEqual([]);
  expect(statements.filter((sql) => sql.startsWith("SELECT")).length).toBeGreaterThan(20);
});

it("uses an index for every question to the document index, except for a list of all tags", async () => {
  await using place = await sqlitePlace();
  const statements = await statementsOf(async () => {
    await using store = await place.open();
    await useDocuments(store);
  });

  const scans = planned(place.path, statements, /^(?:SELECT|INSERT)/).filter(
    ({ sql, detail }) =>
      detail.startsWith("SCAN") && !isSmall(detail) && !sql.endsWith("FROM document_tags"),
  );

  expect(scans).toEqual([]);
});

it("sorts only the results of an id prefix, and the places of the few objects with a value", async () => {
  await using place = await sqlitePlace();
  const statements = await statementsOf(async () => {
    await using store = await place.open();
    await useEverything(store);
  });

  const sorts = planned(place.path, statements, /^SELECT/).filter(({ detail }) =>
    detail.includes("TEMP B-TREE"),
  );

  const others = sorts.filter(
    ({ sql }) => !sql.includes("o.id >= ?") && !sql.includes("ORDER BY +p.seq DESC LIMIT ?"),
  );
  expect(others).toEqual([]);
});

/** Returns every statement that is prepared while `run` runs. */
async function statementsOf(run: () => Promise<void>): Promise<readonly string[]> {
  const statements = new Set<string>();
  const prepare = vi.spyOn(DatabaseSync.prototype, "prepare");
  await run();
  for (const [sql] of prepare.mock.calls) statements.add(sql);
  prepare.mockRestore();
  return [...statements];
}

function planned(
  path: string,
  statements: readonly string[],
  kind: RegExp,
): readonly { readonly sql: string; readonly detail: string }[] {
  using database = new DatabaseSync(path);
  return statements
    .filter((sql) => kind.test(sql))
    .flatMap((sql) => {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      return plan.map(({ detail }) => ({ sql, detail: String(detail) }));
    });
}

/**
 * Whether a scan reads few rows. The count of a condition's matches scans at most a hundred rows of the inner statement,
 * a list of requested ids is scanned as a whole, and the state of the document index is one row.
 */
function isSmall(detail: string): boolean {
  return /^SCAN (?:\(subquery|CONSTANT|sqlite_master|j VIRTUAL TABLE|document_state|clock)/.test(
    detail,
  );
}

/** Whether the versions are read from the last one on, until a page is full. */
function isReadBackwards(sql: string, detail: string): boolean {
  return (
    detail.startsWith("SCAN c") ||
    (detail.startsWith("SCAN p") && sql.includes("p.seq DESC LIMIT ?"))
  );
}

async function useDocuments(store: ObjectStore): Promise<void> {
  const ids = Array.from({ length: 50 }, (_, index) => objectId(`n${index}`));
  await store.commit(ids.map((id) => ({ object: sample(id) })));
  const link = { path: "content", range: [0, 5], syntax: "wiki", raw: "n1", name: "n1" } as const;
  const document = {
    parser: "p",
    front_matter: { state: "absent" },
    aliases: [],
    headings: [],
    links: [link],
    tags: [],
  } as const;
  const entries = ids.map((id) => ({
    names: { id, aliases: [] },
    version: 1,
    contentHash: "0",
    document,
    keys: { names: [id], links: [["n1"]], tags: ["t"] },
  }));
  const { documents } = store;
  await documents.keep("p", entries, "1");
  await documents.keep("p", entries.slice(1), "2");
  await documents.entries("p", ids);
  await documents.named("p", ["n1"]);
  await documents.linking("p", ["n1"]);
  await documents.tagged("p", "t");
  await documents.tags("p");
  await documents.links("p", { after: objectId("n2"), limit: 5 });
}

async function useEverything(store: ObjectStore): Promise<void> {
  const fields = fc.sample(arbitraryFields, { numRuns: 60, seed: testScale.seed });
  for (const [index, one] of fields.entries()) {
    const { nickname: _, ...others } = one;
    const id = `id ${index % 20}`;
    const object = sample(id, {
      ...others,
      nickname: `name ${index % 20}`,
      content: "x".repeat(index * 60),
    });
    await store.commit([{ object }], { requestId: `${index}` });
    await store.commit([{ object }], { requestId: `${index}` });
    await store.commit([
      { object: sample(id, { ...others, short_summary: "s", to: { ref: "dynamic", id: "id 1" } }) },
    ]);
  }
  const id = objectId("id 3");
  const [latest] = await store.history(id);
  for await (const { version } of store.versions(id)) expect(version).toBeGreaterThan(0);
  await store.getMany([id]);
  await store.describe([id]);
  await store.get(id, { version: 1 });
  await store.get(id, { txId: 3 });
  await store.get(id, { txTime: latest?.at.tx_time ?? "" });
  await store.get(id, { contentHash: latest?.hashes.content_hash ?? "" });
  await store.lookup("name 3");
  await store.referrers(objectId("id 1"));
  await store.referrers(objectId("id 1"), { kind: "dynamic" });
  await store.changesSince("3", { limit: 2 });
  for (const order of [{}, { newestFirst: true }, { lastChangedFirst: true }]) {
    for (const idPrefix of ["", "id"]) {
      for (const where of [{}, { type: "file" }, { type: "file", size: 1 }, { size: null }]) {
        await store.find({ where, ...order, ...(idPrefix === "" ? {} : { idPrefix }) });
      }
    }
  }
}
