// How soon can a document be read after a put, with XTDB's own transaction log and with the log that wakes the indexer?
//
// Two nodes, one with each log, take turns in blocks. A document is put, then read as of its transaction, with bare
// HTTP requests and without a store.
import { startNode, type StartedNode } from "@self-context-manager/store-xtdb";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { median, report, rounded } from "./report.ts";

const rounds = 10;
const block = 20;
const warmUp = 100;

const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
try {
  await using plain = await startNode({ dataFolder: join(folder, "plain"), plainTxLog: true });
  await using waking = await startNode({ dataFolder: join(folder, "waking") });
  await putAndRead(plain, "warm-up", warmUp);
  await putAndRead(waking, "warm-up", warmUp);
  const plainTimes: number[] = [];
  const wakingTimes: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    plainTimes.push(...(await putAndRead(plain, String(round), block)));
    wakingTimes.push(...(await putAndRead(waking, String(round), block)));
  }
  report("xtdb-visibility", {
    putsEach: rounds * block,
    plainMilliseconds: spread(plainTimes),
    wakingMilliseconds: spread(wakingTimes),
    ratio: rounded(median(plainTimes) / median(wakingTimes)),
  });
} finally {
  rmSync(folder, { recursive: true });
}

async function putAndRead(
  { url, token }: StartedNode,
  name: string,
  count: number,
): Promise<readonly number[]> {
  const authorization = `Bearer ${token}`;
  const times: number[] = [];
  for (let number = 0; number < count; number += 1) {
    const id = `${name}-${number}`;
    const before = performance.now();
    const submitted = await fetch(`${url}/_xtdb/submit-tx`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ "tx-ops": [["put", { "xt/id": id, number }]] }),
    });
    const { txId } = (await submitted.json()) as { readonly txId: number };
    const read = await fetch(`${url}/_xtdb/entity?eid=${id}&awaitTxId=${txId}`, {
      headers: { authorization },
    });
    await read.text();
    if (read.status !== 200)
      throw new Error(`the node answered ${read.status} for the document ${id}`);
    times.push(performance.now() - before);
  }
  return times;
}

function spread(times: readonly number[]): { readonly median: number; readonly p95: number } {
  const sorted = times.toSorted((one, other) => one - other);
  return {
    median: rounded(median(times)),
    p95: rounded(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN),
  };
}
