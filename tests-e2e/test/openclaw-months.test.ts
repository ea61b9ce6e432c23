// Only long runs start these gateways, and only if OpenClaw can be installed.
/* oxlint-disable vitest/no-disabled-tests */
import { everyLayout } from "@self-context-manager/compose";
import { viewHistory } from "@self-context-manager/core/inspect";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { describe, expect, it } from "vitest";

import { join } from "node:path";

import { openClawProblem } from "../src/openclaw/install-openclaw.ts";
import { mixedSteps, playTurns, readFiles } from "../src/openclaw/months.ts";
import {
  changesOf,
  errorsOf,
  type PlayedGateway,
  playedGateway,
} from "../src/openclaw/played-gateway.ts";

const isSkipped = process.env["SCM_LONG"] !== "1" || (await openClawProblem()) !== undefined;

/** Returns the places of the requests that begin an epoch. */
async function epochsOf({ gateway }: PlayedGateway): Promise<ReadonlySet<number>> {
  const path = join(gateway.state, "..", ".local", "share", "self-context-manager", "store.sqlite");
  await using store = await openSqliteStore({ path });
  const { items } = await store.find({ where: { type: "session" }, limit: 10 });
  const [session] = items;
  const history =
    session === undefined ? undefined : await viewHistory(store, everyLayout(), session.body.id);
  const begins = new Set<number>();
  for await (const { call, epoch } of history?.list() ?? [])
    if (epoch?.call === 1) begins.add(call - 1);
  return begins;
}

const turns = 150;
const calls = Array.from({ length: turns }, (_, turn) => mixedSteps(turn).length + 1).reduce(
  (sum, count) => sum + count,
);

describe.skipIf(isSkipped)("a session of OpenClaw with 150 turns", () => {
  it.each([
    { api: "openai-completions", contextWindow: 64_000 },
    { api: "openai-completions", contextWindow: 200_000 },
    { api: "anthropic-messages", contextWindow: 64_000 },
    { api: "anthropic-messages", contextWindow: 200_000 },
  ] as const)(
    "prefix-survives-the-host's-limits: $api, window of $contextWindow",
    { timeout: 1_800_000 },
    async (options) => {
      await using played = await playedGateway({ files: readFiles(turns), plugin: {}, ...options });

      const { lost, crashes } = await playTurns(played, turns, mixedSteps);
      const requests = played.requestsOf();
      const epochs = await epochsOf(played);

      expect(lost).toBe(0);
      expect(errorsOf(played, requests)).toEqual([]);
      // After a crash of the host's own, a prompt is sent again.
      expect(requests.length).toBeGreaterThanOrEqual(calls);
      expect(requests.length - calls).toBeLessThanOrEqual(crashes * 3);
      expect(epochs.size).toBeGreaterThan(2);
      expect(changesOf(requests).filter((place) => !epochs.has(place))).toEqual([]);
      for (const { text } of requests)
        expect(text).not.toMatch(/characters truncated;|chars truncated;|\[tool result elided/u);
    },
  );
});
