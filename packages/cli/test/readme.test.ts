import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

import { storeWithSession } from "./temporary-store.ts";

test("the README's commands run, one after another", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const lines = [...readme.matchAll(/^scm (.*?) +# /gmu)].map(([, line = ""]) => line);
  await using store = await storeWithSession();

  const runs = [];
  for (const line of lines) runs.push({ line, ...(await store.scm(...line.split(" "))) });

  expect(runs).toHaveLength(9);
  expect(runs.filter(({ code }) => code !== 0)).toEqual([]);
});
