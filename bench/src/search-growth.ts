// How long does a query of the full-text index take with 100,000 texts, and how large is the index, divided by the texts?
//
//   npm run dev -- exec pnpm --filter @self-context-manager/bench search-growth [OLD]
//
// The texts are parts of files of code: those of the installed packages, and texts that are made with a seed and have words
// as often as these. The figures of their words are in the result too. A query has two or three identifiers of one of the
// texts, so a frequent one is as frequent in the queries. The times are CPU times, because the machine can do other work.
// OLD is a built checkout of another commit, which is measured in turn.
import { objectId, type SearchIndex } from "@self-context-manager/objects";
import { seededRandom } from "@self-context-manager/store-contract";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { codeTexts, wordFigures } from "./code-words.ts";
import { madeCode } from "./made-code.ts";
import { madeTexts } from "./made-store.ts";
import { median, report, rounded } from "./report.ts";

const most = 100_000;
const textsAtOnce = 100;
const queries = 200;
const mostCharacters = 2_000;

const [, , old] = process.argv;
const own = fileURLToPath(new URL("../..", import.meta.url));
const checkouts = { own, ...(old === undefined ? {} : { old: resolve(old) }) };
const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
try {
  const code = madeCode();
  const made = Array.from({ length: most }, () => code.text(code.below(mostCharacters)));
  const installed = codeTexts(join(own, "node_modules/.pnpm"), most, mostCharacters);
  // The lines of the stores that `large-store` makes have other words, so they are only compared.
  const store = madeTexts();
  const lines = Array.from({ length: most / 10 }, () => store.code(store.below(mostCharacters)));
  const results: Record<string, unknown> = {};
  for (const [name, texts] of Object.entries({
    made10000: made.slice(0, most / 10),
    made100000: made,
    installed100000: installed,
  })) {
    const measures: Record<string, unknown> = {};
    for (const [checkout, path] of Object.entries(checkouts))
      measures[checkout] = await measured(texts, path, join(folder, `${name}-${checkout}.search`));
    results[name] = { texts: texts.length, ...measures };
  }
  report("search-growth", {
    unit: "milliseconds of CPU time per query",
    aims: { p95: 50, ratioToTexts: 0.25 },
    words: {
      made: wordFigures(made),
      installed: wordFigures(installed),
      linesOfLargeStore: wordFigures(lines),
    },
    results,
  });
} finally {
  rmSync(folder, { recursive: true });
}

async function measured(
  texts: readonly string[],
  checkout: string,
  path: string,
): Promise<Readonly<Record<string, number>>> {
  const { openSearchIndex } = (await import(
    pathToFileURL(join(checkout, "packages/search/src/index.ts")).href
  )) as { openSearchIndex: (options: { path: string }) => SearchIndex };
  const random = seededRandom(3);
  const below = (limit: number): number => Math.floor(random() * limit);
  const textBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const times: number[] = [];
  let addMicroseconds = 0;
  {
    await using index = openSearchIndex({ path });
    const added = process.cpuUsage();
    for (let start = 0; start < texts.length; start += textsAtOnce) {
      const some = texts.slice(start, start + textsAtOnce).map((text, offset) => {
        const number = String(start + offset).padStart(12, "0");
        const id = objectId(`0199cccc-0000-7000-8000-${number}`);
        return { id, version: 1, place: "", type: "toolcall", text };
      });
      await index.add(some, String(start));
    }
    addMicroseconds = spent(added);
    while (times.length < queries) {
      const identifiers = texts[below(texts.length)]?.match(/[\p{L}_][\p{L}\p{N}_]{2,}/gu) ?? [];
      if (identifiers.length < 3) continue;
      const words = Array.from(
        { length: 2 + (times.length % 2) },
        () => identifiers[below(identifiers.length)],
      ).join(" ");
      const before = process.cpuUsage();
      await index.search({ words, limit: 50 });
      times.push(spent(before) / 1_000);
    }
  }
  const sorted = times.toSorted((one, other) => one - other);
  return {
    textBytes,
    ratioToTexts: rounded(statSync(path).size / textBytes),
    millisecondsPerText: rounded(addMicroseconds / 1_000 / texts.length),
    median: rounded(median(times)),
    p95: rounded(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN),
  };
}

function spent(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}
