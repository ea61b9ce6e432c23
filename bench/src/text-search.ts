// How large and how fast is the full-text index, and how well does it rank, on recorded sessions of agents?
//
//   npm run dev -- exec pnpm --filter @self-context-manager/bench text-search --sessions FOLDER
//
// The sessions are not in the repository. A query is what an assistant wrote in a message with tool calls, and the results
// of these calls are relevant. The measure is the mean of 1 / place of the first relevant text among ten (MRR). It is
// compared with SQLite's FTS5 with its tokenizer `unicode61` on the same texts and queries in the same run. The test is
// hard and noisy, so only the ratio of two methods says something.
import { objectId, sealObject } from "@self-context-manager/objects";
import { openSearchIndex, scanTexts } from "@self-context-manager/search";
import { memoryStore } from "@self-context-manager/store-memory";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";

import { type RecordedQuery, type RecordedTexts, recordedTexts } from "./recorded-texts.ts";
import { median, report, rounded } from "./report.ts";

const { values: given } = parseArgs({ options: { sessions: { type: "string" } } });
const textsAtOnce = 50;

/** Words that say nothing about a text. */
const common = new Set(
  "a an and the to of in on for is are was be it i me my let now this that with from at by as we you need see check look first will can there has have do so if or not but its into all just some what how then up out more".split(
    " ",
  ),
);

if (given.sessions === undefined || !existsSync(given.sessions))
  console.log("SKIPPED: the recorded sessions are missing; name their folder with --sessions");
else {
  const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
  try {
    const recorded = recordedTexts(given.sessions);
    report("text-search", {
      texts: recorded.texts.length,
      queries: recorded.queries.length,
      transcriptBytes: recorded.transcriptBytes,
      textBytes: recorded.texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
      ...(await measured(recorded, join(folder, "search.sqlite"))),
      scan: await scans(recorded),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measured(
  recorded: RecordedTexts,
  path: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { texts, queries, transcriptBytes } = recorded;
  const addTimes: number[] = [];
  const searchTimes: number[] = [];
  const all: number[][] = [];
  const within: number[][] = [];
  {
    await using index = openSearchIndex({
      path,
      readText: async (id) => texts[numberOf(id)]?.text,
    });
    for (let start = 0; start < texts.length; start += textsAtOnce) {
      const some = texts.slice(start, start + textsAtOnce).map(({ session, text }, offset) => ({
        id: idOf(start + offset),
        version: 1,
        place: "",
        type: "toolcall",
        session: sessionId(session),
        text,
      }));
      const before = performance.now();
      await index.add(some, String(start));
      addTimes.push((performance.now() - before) / some.length);
    }
    for (const { words, session } of queries) {
      const before = process.cpuUsage();
      const hits = await index.search({ words, limit: 50 });
      const { user, system } = process.cpuUsage(before);
      searchTimes.push((user + system) / 1_000);
      all.push(hits.map(({ id }) => numberOf(id)));
      const own = await index.search({ words, session: sessionId(session), limit: 50 });
      within.push(own.map(({ id }) => numberOf(id)));
    }
  }
  const bytes = statSync(path).size;
  const textBytes = texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const other = plainRanks(recorded);
  return {
    indexBytes: bytes,
    ratioToTexts: rounded(bytes / textBytes),
    ratioToTranscript: { value: rounded(bytes / transcriptBytes), aim: 0.22 },
    millisecondsPerText: rounded(addTimes.reduce((sum, time) => sum + time, 0) / addTimes.length),
    cpuMillisecondsOfQuery: {
      median: rounded(median(searchTimes)),
      p95: percentile95(searchTimes),
    },
    meanReciprocalRank: {
      all: compared(all, other.all, queries, 1.12),
      withinSession: compared(within, other.within, queries, 1.05),
    },
  };
}

/** The places of texts by FTS5 alone, with common words left out of the queries. */
function plainRanks({ texts, queries }: RecordedTexts): {
  readonly all: readonly (readonly number[])[];
  readonly within: readonly (readonly number[])[];
} {
  using database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE plain USING fts5(text, session UNINDEXED)");
  const insert = database.prepare("INSERT INTO plain (rowid, text, session) VALUES (?, ?, ?)");
  for (const [number, { text, session }] of texts.entries()) insert.run(number, text, session);
  const ask = (condition: string): ((...values: string[]) => readonly number[]) => {
    const statement = database.prepare(
      `SELECT rowid FROM plain WHERE plain MATCH ?${condition} ORDER BY bm25(plain) LIMIT 50`,
    );
    return (...values) => statement.all(...values).map((row) => Number(row["rowid"]));
  };
  const askAll = ask("");
  const askSession = ask(" AND session = ?");
  const matches = queries.map(({ words, session }) => ({ match: plainMatch(words), session }));
  return {
    all: matches.map(({ match }) => (match === "" ? [] : askAll(match))),
    within: matches.map(({ match, session }) => (match === "" ? [] : askSession(match, session))),
  };
}

function plainMatch(words: string): string {
  const all = new Set(words.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return [...all]
    .filter((word) => word.length > 1 && !common.has(word))
    .map((word) => `text:"${word}"`)
    .join(" OR ");
}

function compared(
  own: readonly (readonly number[])[],
  other: readonly (readonly number[])[],
  queries: readonly RecordedQuery[],
  aim: number,
): Readonly<Record<string, number>> {
  const [first, second] = [score(own, queries), score(other, queries)];
  return { own: rounded(first), unicode61: rounded(second), ratio: rounded(first / second), aim };
}

function score(ranks: readonly (readonly number[])[], queries: readonly RecordedQuery[]): number {
  const reciprocals = ranks.map((rank, index) => {
    const place = rank.slice(0, 10).findIndex((text) => queries[index]?.relevant.has(text));
    return place < 0 ? 0 : 1 / (place + 1);
  });
  return reciprocals.reduce((sum, value) => sum + value, 0) / queries.length;
}

/** The CPU times of scans of all texts, from memory. */
async function scans({ texts }: RecordedTexts): Promise<Readonly<Record<string, number>>> {
  await using store = memoryStore();
  await store.commit(
    texts.map(({ text }, number) => ({
      object: sealObject({
        id: idOf(number),
        type: "toolcall",
        locked: false,
        content: text,
        provenance: { origin: "bench", generator: "tool" },
      }),
    })),
  );
  const time = async (
    pattern: { readonly literal: string } | { readonly regex: string },
  ): Promise<number> => {
    const before = process.cpuUsage();
    await scanTexts(store, { ...pattern, limit: 100_000, timeLimit: 60_000 });
    const { user, system } = process.cpuUsage(before);
    return rounded((user + system) / 1_000);
  };
  return {
    literalMilliseconds: await time({ literal: "ENOENT: no such" }),
    regexMilliseconds: await time({ regex: String.raw`E[A-Z]+: \w+ such` }),
  };
}

function idOf(number: number): ReturnType<typeof objectId> {
  return objectId(`0199aaaa-0000-7000-8000-${String(number).padStart(12, "0")}`);
}

function numberOf(id: string): number {
  return Number(id.slice(-12));
}

function sessionId(session: string): ReturnType<typeof objectId> {
  return objectId(`chat-${session.padEnd(31, "-").slice(0, 31)}`);
}

function percentile95(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return rounded(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN);
}
