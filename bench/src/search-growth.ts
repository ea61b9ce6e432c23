// How long does a query of the full-text index take with 100,000 texts, and how large is the index, divided by the texts?
//
//   npm run dev -- exec pnpm --filter @self-context-manager/bench search-growth
//
// The texts look like code and are made with a seed. A query has two or three names of the texts. The times are CPU times,
// because the machine can do other work.
import { objectId } from "@self-context-manager/objects";
import { openSearchIndex } from "@self-context-manager/search";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { madeTexts } from "./made-store.ts";
import { median, report, rounded } from "./report.ts";

const counts = [10_000, 100_000];
const textsAtOnce = 100;
const queries = 200;
const meanCharacters = 1_000;

const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
try {
  const results = [];
  for (const count of counts) results.push(await measured(count, join(folder, `${count}.search`)));
  report("search-growth", {
    unit: "milliseconds of CPU time per query",
    aims: { p95: 50, ratioToTexts: 0.25 },
    results,
  });
} finally {
  rmSync(folder, { recursive: true });
}

async function measured(count: number, path: string): Promise<Readonly<Record<string, unknown>>> {
  const texts = madeTexts(count);
  let textBytes = 0;
  const times: number[] = [];
  const added = process.cpuUsage();
  let addMicroseconds = 0;
  {
    await using index = openSearchIndex({ path });
    for (let start = 0; start < count; start += textsAtOnce) {
      const some = Array.from({ length: textsAtOnce }, (_, offset) => {
        const text = texts.code(texts.below(2 * meanCharacters));
        textBytes += Buffer.byteLength(text);
        const number = String(start + offset).padStart(12, "0");
        const id = objectId(`0199cccc-0000-7000-8000-${number}`);
        return { id, version: 1, place: "", type: "toolcall", text };
      });
      await index.add(some, String(start));
    }
    addMicroseconds = spent(added);
    for (let query = 0; query < queries; query += 1) {
      const words = Array.from({ length: 2 + (query % 2) }, () => texts.name()).join(" ");
      const before = process.cpuUsage();
      await index.search({ words, limit: 50 });
      times.push(spent(before) / 1_000);
    }
  }
  const sorted = times.toSorted((one, other) => one - other);
  return {
    texts: count,
    textBytes,
    ratioToTexts: rounded(statSync(path).size / textBytes),
    millisecondsPerText: rounded(addMicroseconds / 1_000 / count),
    median: rounded(median(times)),
    p95: rounded(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN),
  };
}

function spent(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}
