// How much of what was sent before does the provider bill again, and does the context manager know it?
//
// Records the session of 310 calls: real Pi and the real extension, against a scripted model that bills by the rules of
// Anthropic's prompt cache. Run it by hand:
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e breakpoints
import { timelineReader } from "@self-context-manager/core/inspect";
import type { AnthropicModel } from "@self-context-manager/evaluate/loopback";
import { openSqliteStore } from "@self-context-manager/store-sqlite";

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { recordSession } from "../inspector/recorded-session.ts";
import { keepMeasured, rounded } from "../measured.ts";
import { recordedLayouts } from "../session/recorded-views.ts";
import { pricesOf, unitsOf } from "./priced-run.ts";

const folder = await mkdtemp(join(tmpdir(), "scm-breakpoints-"));
try {
  let seen: Pick<AnthropicModel, "requests" | "billed"> | undefined;
  const { storePath, sessionId } = await recordSession(folder, (model) => (seen = model));
  if (seen === undefined) throw new TypeError("the session had no requests");
  await using store = await openSqliteStore({ path: storePath });
  const timeline = await timelineReader(store, recordedLayouts).read(sessionId);
  const ends = changedRequests(seen);
  const expected = (timeline?.calls ?? []).map(({ cost }) => cost?.cached ?? 0);
  const warm = ends.filter(({ isCold }) => !isCold);
  keepMeasured("breakpoints", {
    calls: seen.requests.length,
    units: rounded(unitsOf(seen.billed, pricesOf.anthropic)),
    changes: {
      all: ends.length,
      warm: warm.length,
      unchangedTokens: sumOf(warm, ({ common }) => common),
      readTokens: sumOf(warm, ({ read }) => read),
      expectedTokens: Math.round(sumOf(warm, ({ call }) => expected[call] ?? 0)),
      writtenTokens: sumOf(warm, ({ written }) => written),
    },
    writtenTokens: {
      whole: sumOf(seen.billed, ({ written }) => written),
      cold: sumOf(ends, (one) => (one.isCold ? one.written : 0)),
    },
    read: {
      billed: sumOf(seen.billed, ({ read }) => read),
      expected: Math.round(sumOf(expected, (tokens) => tokens)),
    },
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}

interface ChangedRequest {
  readonly call: number;
  /** Tokens of the blocks that the request before it also began with, and those that were read and written. */
  readonly common: number;
  readonly read: number;
  readonly written: number;
  /** Whether the cache had nothing of the session. */
  readonly isCold: boolean;
}

/** Returns the requests that do not begin with all of the request before. */
function changedRequests({
  requests,
  billed,
}: Pick<AnthropicModel, "requests" | "billed">): readonly ChangedRequest[] {
  let former: readonly string[] = [];
  return requests.flatMap(({ blocks }, call) => {
    const before = former;
    former = blocks.map(({ text }) => text);
    const same = blocks.findIndex(({ text }, index) => text !== before[index]);
    if (same === -1 || same >= before.length) return [];
    const { read = 0, written = 0 } = billed[call] ?? {};
    const common = sumOf(blocks.slice(0, same), ({ tokens }) => tokens);
    return [{ call, common, read, written, isCold: read === 0 }];
  });
}

function sumOf<One>(all: readonly One[], value: (one: One) => number): number {
  return all.reduce((sum, one) => sum + value(one), 0);
}
