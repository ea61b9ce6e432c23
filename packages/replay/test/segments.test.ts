import { expect, test } from "vitest";

import { corpusTotals, findSessions, readSession } from "../src/index.ts";
import { type RecordedMessage } from "../src/read/recorded-session.ts";
import { segmentsOf } from "../src/corpus/segments.ts";
import { says, user } from "./made-sessions.ts";
import { isPaired } from "./recorded-files.ts";

const summary: RecordedMessage = {
  role: "user",
  content: [{ type: "text", text: "s" }],
  synthetic: true,
  compaction: true,
};

test("a compaction starts a segment, and segments of one call do not count", () => {
  const first = [user("a"), says("b"), says("c")];
  const second = [summary, says("d")];
  const third = [summary, says("e"), says("f"), says("g")];

  const segments = segmentsOf({ rows: [...first, ...second, ...third] });

  expect(segments).toEqual([
    { rows: first, calls: 2 },
    { rows: third, calls: 3 },
  ]);
});

test("the totals leave out sessions without a segment", () => {
  const long = { rows: [user("a"), says("b"), says("c"), summary, says("d")] };
  const short = { rows: [user("a"), says("b")] };

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
