// What do documents cost: the time to parse Markdown, to index a vault of 6,000 notes in SQLite, to find what links to a
// note, to follow a moved note, to walk along links, and to keep the indexes up to date after each call of a session?
//
// The vault is made by a generator with a seed and with measured shapes. Parsing is compared with markdown-it on the same
// notes in the same run, and hostile texts with the same number of characters of these notes. Each time of an index is
// compared with that of the commits that it describes.
import {
  backlinksOf,
  linksOf,
  updateIndex,
  updateSearch,
  walkLinks,
} from "@self-context-manager/links";
import { markdownParser } from "@self-context-manager/documents";
import {
  type ObjectBody,
  type ObjectId,
  type ObjectStore,
  sealObject,
} from "@self-context-manager/objects";
import { openSearchIndex } from "@self-context-manager/search";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { seededRandom } from "@self-context-manager/store-contract";
import MarkdownIt from "markdown-it";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { frontMatter, hostileTexts } from "./hostile-markdown.ts";
import { type MadeNote, madeVault, noteBody, vaultFolder } from "./made-vault.ts";
import { median, report, rounded } from "./report.ts";
import { sessionWrites } from "./store-session.ts";

const noteCount = 6_000;
const callCount = 500;
const notesPerCommit = 500;

const vault = madeVault(noteCount);
const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
try {
  report("documents", {
    vault: shapesOf(vault),
    parsing: parsing(vault),
    hostile: hostile(vault),
    index: await indexing(vault),
    perCall: await perCall(vault),
  });
} finally {
  rmSync(folder, { recursive: true });
}

function shapesOf(notes: readonly MadeNote[]): Readonly<Record<string, unknown>> {
  const lengths = notes.map(({ text }) => text.length);
  const links = notes.map(({ text }) => markdownParser.parse(text).links.length);
  return {
    notes: notes.length,
    characters: sum(lengths),
    charactersOfNote: spread(lengths),
    links: sum(links),
    linksOfNote: spread(links),
  };
}

function parsing(notes: readonly MadeNote[]): Readonly<Record<string, unknown>> {
  const other = new MarkdownIt({ linkify: false });
  const times: { own: number; other: number }[] = [];
  let made = 0;
  for (let round = 0; round < 7; round += 1) {
    const own = timed(() => {
      for (const { text } of notes) made += markdownParser.parse(text).links.length;
    });
    const markdownIt = timed(() => {
      for (const { text } of notes) made += other.parse(text, {}).length;
    });
    times.push({ own, other: markdownIt });
  }
  const megabytes = bytesOf(notes) / 1e6;
  const own = median(times.map((time) => time.own));
  return {
    millisecondsPerMegabyte: rounded(own / megabytes),
    markdownIt: rounded(median(times.map((time) => time.other)) / megabytes),
    ratio: rounded(median(times.map((time) => time.own / time.other))),
    made,
  };
}

/** The time of each hostile text, divided by that of the same number of characters of the vault's notes. */
function hostile(notes: readonly MadeNote[]): Readonly<Record<string, unknown>> {
  const prose = notes.map(({ text }) => text.replace(/^---\n.*?\n---\n/su, "")).join("\n\n");
  const text = prose.slice(0, 2_000_000);
  const usual = best(() => markdownParser.parse(text)) / text.length;
  const ratios = [...hostileTexts()].map(([name, one]) => ({
    name,
    ratio: rounded(best(() => markdownParser.parse(one)) / one.length / usual),
  }));
  const worst = ratios.toSorted((one, other) => other.ratio - one.ratio);
  const some = (isFront: boolean): Readonly<Record<string, number>> =>
    Object.fromEntries(
      worst
        .filter((one) => one.name.startsWith(frontMatter) === isFront)
        .slice(0, 8)
        .map(({ name, ratio }) => [name, ratio]),
    );
  const [body, front] = [some(false), some(true)];
  return {
    texts: ratios.length,
    worst: Math.max(...Object.values(body)),
    worstOfFrontMatter: Math.max(...Object.values(front)),
    aim: 20,
    slowest: body,
    slowestOfFrontMatter: front,
    oneLineOfOneMegabyte: Object.fromEntries(
      ratios.filter(({ name }) => name.startsWith("1 MB")).map(({ name, ratio }) => [name, ratio]),
    ),
  };
}

async function indexing(notes: readonly MadeNote[]): Promise<Readonly<Record<string, unknown>>> {
  const path = join(folder, "vault.sqlite");
  const bodies = notes.map((note, index) => noteBody(index, note));
  await using store = await openSqliteStore({ path });
  const commits = await timedAsync(async () => {
    for (let start = 0; start < bodies.length; start += notesPerCommit)
      await store.commit(
        bodies.slice(start, start + notesPerCommit).map((body) => ({ object: sealObject(body) })),
      );
  });
  const before = cellBytes(path);
  const index = await timedAsync(async () => await updateIndex(store, markdownParser));
  const after = cellBytes(path);
  const parse = timed(() => {
    for (const { text } of notes) markdownParser.parse(text);
  });
  return {
    commitMilliseconds: rounded(commits),
    indexMilliseconds: rounded(index),
    ratioToCommits: rounded(index / commits),
    ofThisParsing: rounded(parse),
    indexBytes: after - before,
    ratioToStore: rounded((after - before) / before),
    ratioToText: rounded((after - before) / bytesOf(notes)),
    ...(await graph(store, bodies)),
  };
}

async function graph(
  store: ObjectStore,
  bodies: readonly ObjectBody[],
): Promise<Readonly<Record<string, unknown>>> {
  const random = seededRandom(5);
  const parts = { store, parser: markdownParser, workspace: vaultFolder };
  const any = (): ObjectId => bodyOf(bodies, Math.floor(random() * bodies.length)).id;
  const counts: number[] = [];
  const asked = Array.from({ length: 300 }, any);
  const backlinks = await bestTimes(asked, async (id) => {
    counts.push((await backlinksOf(id, parts)).length);
  });
  // The first notes behind the twins are those to which most others link.
  const hubCounts: number[] = [];
  const hubIds = Array.from({ length: 20 }, (_, hub) => bodyOf(bodies, 30 + hub).id);
  const hubs = await bestTimes(hubIds, async (id) => {
    hubCounts.push((await backlinksOf(id, parts)).length);
  });
  const links = await bestTimes(asked, async (id) => await linksOf([id], parts));
  const reached: number[] = [];
  const walk = async (depth: number): Promise<Readonly<Record<string, number>>> =>
    await bestTimes(asked.slice(0, 30), async (id) => {
      reached.push((await walkLinks(id, { depth, limit: 100 }, parts)).objects.length);
    });
  const walkOfDepth2 = await walk(2);
  const walkOfDepth3 = await walk(3);
  const commits: number[] = [];
  const moves = await times(60, async (round) => {
    const body = bodyOf(bodies, 100 + 7 * round);
    const path = body["path"];
    const name = typeof path === "string" ? path.slice(path.lastIndexOf("/")) : "";
    const moved = { ...body, path: `${vaultFolder}/moved${name}` };
    const start = performance.now();
    await store.commit([{ object: sealObject(moved) }]);
    commits.push(performance.now() - start);
    await updateIndex(store, markdownParser);
    await backlinksOf(body.id, parts);
  });
  return {
    backlinks: { ...backlinks, aim: 2, meanNumber: rounded(sum(counts) / counts.length) },
    backlinksOfHubs: { ...hubs, meanNumber: rounded(sum(hubCounts) / hubCounts.length) },
    links,
    walkOfDepth2,
    walkOfDepth3,
    meanNumberReached: rounded(sum(reached) / reached.length),
    moveUntilBacklinksAreRight: { ...moves, aim: 20, ofThisTheCommit: rounded(median(commits)) },
  };
}

/** Each call of a session adds a tool call and a note of the vault, and then the indexes are brought up to date. */
async function perCall(notes: readonly MadeNote[]): Promise<Readonly<Record<string, unknown>>> {
  await using store = await openSqliteStore({ path: join(folder, "session.sqlite") });
  await using index = openSearchIndex({ path: join(folder, "search.sqlite") });
  const usual = median(notes.map(({ text }) => text.length));
  const medians = notes.filter(({ text }) => Math.abs(text.length - usual) < usual / 3);
  const measured: { commits: number; documents: number; search: number }[] = [];
  const parse: number[] = [];
  let call = 0;
  for (const commits of sessionWrites(callCount)) {
    const note = medians[call % medians.length];
    if (note === undefined) throw new Error("the vault has no note of median length");
    const object = sealObject(noteBody(call, note));
    const [first = [], second = []] = commits;
    const committed = await timedAsync(async () => {
      await store.commit(first, { isFollowed: true });
      await store.commit([...second, { object }]);
    });
    const documents = await timedAsync(async () => await updateIndex(store, markdownParser));
    const search = await timedAsync(async () => await updateSearch(store, index));
    parse.push(timed(() => markdownParser.parse(note.text)));
    measured.push({ commits: committed, documents, search });
    call += 1;
  }
  // The first calls run code for the first time.
  const usualCalls = measured.slice(20);
  const of = (kind: "commits" | "documents" | "search"): readonly number[] =>
    usualCalls.map((one) => one[kind]);
  return {
    calls: usualCalls.length,
    charactersOfNote: usual,
    commits: percentiles(of("commits")),
    documentIndex: percentiles(of("documents")),
    searchIndex: percentiles(of("search")),
    parseOnly: { ...percentiles(parse.slice(20)), aim: 1 },
    ratioToCommits: {
      documentIndex: rounded(median(usualCalls.map((one) => one.documents / one.commits))),
      searchIndex: rounded(median(usualCalls.map((one) => one.search / one.commits))),
    },
    searchAtTheEnd: rounded(median(of("search").slice(-50))),
  };
}

function bodyOf(bodies: readonly ObjectBody[], index: number): ObjectBody {
  const body = bodies[index];
  if (body === undefined) throw new RangeError(`there is no note ${index}`);
  return body;
}

/** The bytes of all cells of a store, without the unused parts of their pages. */
function cellBytes(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const row = database.prepare("SELECT sum(pgsize - unused) AS bytes FROM dbstat").get();
    return Number(row?.["bytes"]);
  } finally {
    database.close();
  }
}

function bytesOf(notes: readonly MadeNote[]): number {
  return sum(notes.map(({ text }) => Buffer.byteLength(text)));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

async function timedAsync(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The best of seven times, because the machine has other work to do. */
function best(work: () => unknown): number {
  return Math.min(...Array.from({ length: 7 }, () => timed(() => void work())));
}

/** The times of a question about each object, the best of three. */
async function bestTimes(
  ids: readonly ObjectId[],
  ask: (id: ObjectId) => Promise<unknown>,
): Promise<Readonly<Record<string, number>>> {
  const all: number[] = [];
  for (const id of ids) {
    const tries: number[] = [];
    for (let round = 0; round < 3; round += 1)
      tries.push(await timedAsync(async () => await ask(id)));
    all.push(Math.min(...tries));
  }
  return percentiles(all);
}

async function times(
  count: number,
  work: (round: number) => Promise<unknown>,
): Promise<Readonly<Record<string, number>>> {
  const all: number[] = [];
  for (let round = 0; round < count; round += 1)
    all.push(await timedAsync(async () => await work(round)));
  return percentiles(all);
}

function percentiles(values: readonly number[]): Readonly<Record<string, number>> {
  return { median: rounded(median(values)), p95: rounded(percentile(values, 0.95)) };
}

function spread(values: readonly number[]): Readonly<Record<string, number>> {
  return {
    median: median(values),
    p90: percentile(values, 0.9),
    p99: percentile(values, 0.99),
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
