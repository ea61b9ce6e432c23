// What does managed context save in a long session of OpenClaw?
//
// For each protocol, a gateway with the plugin and one without it do the same work, one after another. Costs have the prices
// of Claude for both, so that they can be compared. Run it by hand; a part of a name measures only the works with it, and the
// other figures stay:
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e openclaw-months [a part of a name]
import { readFileSync } from "node:fs";

import { pricesOf, unitsOf } from "../caching/priced-run.ts";
import { keepMeasured, rounded } from "../measured.ts";
import type { GatewayOptions } from "./gateway.ts";
import {
  mainSession,
  playLongTurn,
  playTurns,
  playWeek,
  readFiles,
  type Trouble,
} from "./months.ts";
import {
  changesOf,
  errorsOf,
  keptMessages,
  type PlayedGateway,
  playedGateway,
} from "./played-gateway.ts";

interface Work {
  readonly name: string;
  readonly options: Pick<GatewayOptions, "api" | "contextWindow" | "fallbacks" | "config">;
  readonly play: (played: PlayedGateway) => Promise<Partial<Trouble>>;
  /** Default: the usual one. */
  readonly session?: string;
}

const completions = "openai-completions";
const messages = "anthropic-messages";

const works: readonly Work[] = [
  ...[completions, messages].map((api) => ({
    name: `110 turns that read a file, window of 64,000 tokens, ${api}`,
    options: { api, contextWindow: 64_000 } as Work["options"],
    play: async (played: PlayedGateway) => await playTurns(played, 110),
  })),
  ...(
    [
      [completions, 128_000],
      [messages, 200_000],
    ] as const
  ).map(([api, contextWindow]) => ({
    name: `one turn of 62 calls and three more turns, window of ${contextWindow / 1000},000 tokens, ${api}`,
    options: { api, contextWindow },
    play: async (played: PlayedGateway) => {
      await playLongTurn(played);
      return {};
    },
  })),
];

const fallbacks = ["mock/claude-opus-5-5"];
/** The model can call each tool, also the one that begins a sub-agent. */
const config = { tools: { toolSearch: false } };
const weeks = [completions, messages].map((api) => ({
  name: `a week of 600 turns, window of 200,000 tokens, ${api}`,
  options: { api, contextWindow: 200_000, fallbacks, config } as Work["options"],
  play: playWeek,
  session: mainSession,
}));

const [, , part = ""] = process.argv;
const measured: Record<string, unknown> = part === "" ? {} : formerFigures();
for (const { name, options, play, session } of [...works, ...weeks]) {
  if (!name.includes(part)) continue;
  const managed = await run({ ...options, plugin: {} }, play, session);
  const plain = await run(options, play, session);
  // Work that a gateway did not do has no cost to compare.
  const isDone = managed.lost + plain.lost === 0;
  const ratio = isDone ? { ratio: rounded(managed.cost / plain.cost) } : {};
  measured[name] = { managed, plain, ...ratio };
  keepMeasured("openclaw-months", measured);
}

function formerFigures(): Record<string, unknown> {
  const file = new URL("../../../bench/results/openclaw-months.json", import.meta.url);
  const kept = Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>);
  const names = new Set([...works, ...weeks].map(({ name }) => name));
  return Object.fromEntries(kept.filter(([name]) => names.has(name)));
}

interface Run {
  readonly calls: number;
  /** Tokens of uncached input. */
  readonly cost: number;
  /** Calls whose messages do not begin with those of the call before. */
  readonly changes: number;
  /** Those of them that change the first message: after a reset, and where the host writes another text or model into it. */
  readonly changesOfFirst: number;
  /** Tokens of the largest prompt. */
  readonly largest: number;
  /** Megabytes of the gateway's process at the end. */
  readonly memory: number;
  /** Turns that the gateway did not finish. */
  readonly lost: number;
  /** How often its process ended by a failure of its own, if the work continues then. */
  readonly crashes?: number;
  /** What a provider refuses, and how often. */
  readonly errors: number;
}

async function run(
  options: Omit<GatewayOptions, "model">,
  play: Work["play"],
  session?: string,
): Promise<Run> {
  await using played = await playedGateway({ files: readFiles(110), ...options });
  const { lost = 0, crashes } = await play(played);
  const requests = played.requestsOf(session);
  const changes = changesOf(requests);
  const ofFirst = changes.filter((at) => keptMessages(requests[at - 1], requests[at]) === 0);
  const bills = requests.map(({ bill: { input, read, written } }) =>
    // The server of chat completions bills no writing; here it has Claude's prices too.
    options.api === messages
      ? { input, read, written }
      : { input: 0, read, written: input + written },
  );
  return {
    calls: requests.length,
    cost: rounded(unitsOf(bills, pricesOf.anthropic)),
    changes: changes.length,
    changesOfFirst: ofFirst.length,
    largest: Math.max(...bills.map(({ input, read, written }) => input + read + written)),
    memory: Math.round((await played.gateway.memory()) / 1e6),
    lost,
    ...(crashes === undefined ? {} : { crashes }),
    errors: errorsOf(played, requests).length,
  };
}
