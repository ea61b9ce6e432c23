import { objectId, sealObject } from "@self-context-manager/objects";
import { expect, test } from "vitest";

import { storeWithSession, withStore } from "./temporary-store.ts";

test("a summary is listed by its turn and its short text", async () => {
  await using store = await storeWithSession();
  await withStore(store, async (opened) => {
    const object = sealObject({
      id: objectId("summary-1"),
      type: "summary",
      locked: false,
      content: "Decided: the old format stays.",
      short_summary: "The old format stays.",
      char_count: 30,
      turn: 3,
      provenance: { origin: "s1", generator: "agent" },
    });
    await opened.commit([{ object }]);
  });

  const { stdout } = await store.scm("list", "--type", "summary");

  expect(stdout).toContain("turn 3: The old format stays.");
  expect((await store.scm("print", "summary-1")).stdout).toContain("the old format stays");
});
