import { openContextManager } from "@self-context-manager/compose";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

import { writeNotes } from "./notes.ts";
import { storeWithSession, type TemporaryStore } from "./temporary-store.ts";

test("the README's commands run, one after another", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const lines = [...readme.matchAll(/^scm (.*?) +# /gmu)].map(([, line = ""]) => line);
  await using store = await storeWithSession();
  await sendTwice(store);
  await writeNotes(store.workspace, { "plan.md": "# Plan\n\nSee [[a.txt]].\n" });

  const runs = [];
  for (const line of lines) runs.push({ line, ...(await store.scm(...line.split(" "))) });

  expect(runs).toHaveLength(27);
  expect(runs.filter(({ code }) => code !== 0)).toEqual([]);
});

/** Two calls of the session, whose views show the files that it read. */
async function sendTwice({ at, workspace }: TemporaryStore): Promise<void> {
  await using manager = await openContextManager({ at, workspace });
  const session = await manager.openSession({ harness: "pi", sessionId: "s1" });
  await session.nextView();
  await session.activate("b.md");
  await session.read({ path: "src/d.ts" });
  await session.nextView();
}

test("the table in the guide looks like the output of history", async () => {
  const guide = await readFile(
    new URL("../../../docs/guide/inspecting.md", import.meta.url),
    "utf8",
  );
  const shown = /^\$ scm history .*\n((?:.*\n)*?)\$ /mu.exec(guide)?.[1] ?? "";
  await using store = await storeWithSession();

  const printed = (await store.scm("history", "a.txt")).stdout;

  expect(shapeOf(shown)).toEqual(shapeOf(printed));
});

/** A table with its letters and digits made equal, without its last column, which is not padded. */
function shapeOf(table: string): readonly string[] {
  const lines = table.trimEnd().split("\n");
  const nameAt = lines[0]?.indexOf("NAME") ?? 0;
  const rows = lines.map((line) => line.slice(0, nameAt));
  return rows.map((row) =>
    row
      .replace(/(?<=tx:)\d+ +/u, "0 ")
      .replaceAll(/[a-f\d]/gu, "0")
      .replace(/(?<=Z) +\d+/u, " 0"),
  );
}
