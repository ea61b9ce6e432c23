import { expect, test } from "vitest";

import {
  corpusTotals,
  findSessions,
  readSession,
  type RecordedMessage,
  segmentsOf,
} from "../src/index.ts";
import { isPaired } from "./recorded-files.ts";

const text = (words: string): { readonly type: "text"; readonly text: string } => ({
  type: "text",
  text: words,
});
const user = (words: string): RecordedMessage => ({ role: "user", content: [text(words)] });
const call = (words: string): RecordedMessage => ({ role: "assistant", content: [text(words)] });
const summary: RecordedMessage = {
  role: "user",
  content: [text("s")],
  synthetic: true,
  compaction: true,
};

test("a compaction starts a segment, and segments of one call do not count", () => {
  const first = [user("a"), call("b"), call("c")];
  const second = [summary, call("d")];
  const third = [summary, call("e"), call("f"), call("g")];

  const segments = segmentsOf({ rows: [...first, ...second, ...third] });

  expect(segments).toEqual([
    { rows: first, calls: 2 },
    { rows: third, calls: 3 },
  ]);
});

test("the totals leave out sessions without a segment", () => {
  const long = { rows: [user("a"), call("b"), call("c"), summary, call("d")] };
  const short = { rows: [user("a"), call("b")] };

  const totals = corpusTotals([long, short, { rows: [] }]);

  expect(totals).toEqual({ sessions: 1, segments: 1, calls: 2, tokens: 3 * 5 });
});

// Foreign recorded sessions are not in the repository; a variable can name a folder of them.
const folder = process.env["SCM_RECORDED_SESSIONS"];
const folders = folder === undefined ? [] : [folder];

test.each(folders)(
  "all sessions in %s are read without damage, with one result for each call",
  async (path) => {
    const { files, unreadable } = await findSessions([path]);
    const sessions = await Promise.all(files.map((file) => readSession(file)));

    expect(unreadable).toEqual([]);
    expect(sessions.filter(({ damaged }) => damaged.length > 0)).toEqual([]);
    expect(sessions.filter(({ rows }) => !isPaired(rows)).map(({ name }) => name)).toEqual([]);
    expect(corpusTotals(sessions).calls).toBeGreaterThan(0);
  },
  600_000,
);
