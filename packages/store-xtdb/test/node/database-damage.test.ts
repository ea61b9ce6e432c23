import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

import { databaseDamage } from "../../src/node/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("a folder without a database and a sound database have no damage", async () => {
  await using folder = await temporaryFolder();

  expect(await databaseDamage(folder.path)).toEqual([]);
  await makeDatabase(folder.path);
  expect(await databaseDamage(folder.path)).toEqual([]);
});

test("a page of zeros and a file of other content are named", async () => {
  await using folder = await temporaryFolder();
  const path = await makeDatabase(folder.path);

  await writeFile(path, (await readFile(path)).fill(0, 8192, 12_288));
  const [zeros] = await databaseDamage(folder.path);
  await writeFile(path, "other content ".repeat(100));
  const other = await databaseDamage(folder.path);

  expect(zeros).toMatch(/page|malformed/u);
  expect(other).toEqual(["file is not a database"]);
});

async function makeDatabase(folder: string): Promise<string> {
  const path = join(folder, "golden.db");
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE tx_events (v BLOB)");
  for (let count = 0; count < 50; count += 1)
    database.exec("INSERT INTO tx_events VALUES (zeroblob(1000))");
  database.close();
  return path;
}
