import { join } from "node:path";

import { openSqliteStore } from "../src/index.ts";

const [, , folder = "", start = ""] = process.argv;
const files = 40;

/** Opens one new file after the other, each at the same time as all other processes of the race. */
for (let index = 0; index < files; index += 1) {
  while (Date.now() < Number(start) + index * 40);
  const store = await openSqliteStore({ path: join(folder, `race-${index}.sqlite`) });
  await store[Symbol.asyncDispose]();
}
console.log(`opened ${files}`);
