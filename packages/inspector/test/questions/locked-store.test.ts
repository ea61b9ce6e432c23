import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";

import type { CallAnswer, ObjectAnswer, SessionsAnswer } from "../../src/answers.ts";
import { openQuestions } from "../../src/questions/questions.ts";
import { inspected, recordedSession } from "../recorded-session.ts";
import { testParser } from "../test-parser.ts";

it("answers while another process has the store locked, and shows new links afterwards", async () => {
  const folder = await mkdtemp(join(tmpdir(), "scm-inspector-"));
  const path = join(folder, "store.sqlite");
  try {
    await using store = await openSqliteStore({ path, clock: { now: () => 1 } });
    const { id } = await recordedSession([{ read: "a.md", text: "See [[b]].\n" }], { store });
    const [file] = (await store.find({ where: { type: "file" } })).items;
    const object = ["objects", String(file?.body.id)];
    const questions = openQuestions(inspected(store, { parser: testParser }));
    using other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");

    const locked = (await questions.ask(object)) as ObjectAnswer;
    const { sessions } = (await questions.ask(["sessions"])) as SessionsAnswer;
    const call = (await questions.ask(["sessions", id, "calls", "1"])) as CallAnswer;
    other.exec("ROLLBACK");

    expect(locked).toMatchObject({ name: "a.md", links: [] });
    expect(sessions).toHaveLength(1);
    expect(call.isVerified).toBe(true);
    await expect
      .poll(async () => ((await questions.ask(object)) as ObjectAnswer).links, { timeout: 30_000 })
      .toEqual([{ text: "[[b]]" }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
