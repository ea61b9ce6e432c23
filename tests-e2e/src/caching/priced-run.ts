import { piExtension } from "@self-context-manager/adapter-pi";
import { configFromEnvironment, openContextManager } from "@self-context-manager/compose";
import {
  type BilledPrompt,
  openAnthropicModel,
  openLoopbackModel,
} from "@self-context-manager/evaluate/loopback";

import { join } from "node:path";

import { openPiSdk } from "../pi-sdk.ts";
import type { PiVersion } from "../pi-versions.ts";
import { openPiWorkspace, type PiWorkspace, type PiWorkspaceOptions } from "../pi-workspace.ts";
import { longProject, longRounds } from "./long-session.ts";
import { readingModel } from "./reading-model.ts";

/** The provider whose cache rules the server follows. */
export type CacheRules = "anthropic" | "openai";

/** Prices relative to uncached input. */
export interface Prices {
  readonly read: number;
  readonly write: number;
}

/** The prices that the rules bill: Anthropic's usual ones, and those of OpenAI's GPT-5. */
export const pricesOf: Readonly<Record<CacheRules, Prices>> = {
  anthropic: { read: 0.1, write: 1.25 },
  openai: { read: 0.1, write: 1 },
};

const costs = {
  anthropic: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  openai: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 0 },
} as const;

export interface PricedRunOptions {
  readonly pi: PiVersion;
  readonly rules: CacheRules;
  /** The environment that the extension reads. `undefined`: plain Pi without the extension. */
  readonly managed?: Readonly<Record<string, string>>;
  readonly breakpoints?: "own" | "host";
  /** How often the work of the long session is done. Default: once. */
  readonly rounds?: number;
}

export interface PricedRun {
  readonly billed: readonly BilledPrompt[];
  /** The size of each request's body, in bytes. */
  readonly sizes: readonly number[];
  /** The number of files that the model read once more, because it did not see the text that it had to edit. */
  readonly readAgain: number;
  readonly failures: readonly string[];
}

/** The window of a run with several rounds, in which plain Pi needs no compaction. */
const window = 1_000_000;

/** The time limit of a prompt, which has up to 50 calls. */
const deadlineMs = 300_000;

/** Runs the long session in a real Pi against a server that bills by the given rules. */
export async function pricedRun(options: PricedRunOptions): Promise<PricedRun> {
  const { rules } = options;
  const { prompts, replies } = longRounds(options.rounds ?? 1);
  const reader = readingModel(replies);
  if (rules === "openai") {
    await using model = await openLoopbackModel({
      script: ({ messages }) => reader.next(messages),
    });
    const errors = await run(options, prompts, { model, cost: costs.openai });
    const sizes = model.requests.map(({ byteLength }) => byteLength);
    const failures = [...model.failures, ...errors];
    return { billed: [...model.billed], sizes, readAgain: reader.readAgain, failures };
  }
  await using model = await openAnthropicModel({
    script: ({ payload }) => reader.next(payload["messages"]),
  });
  const errors = await run(options, prompts, {
    model,
    cost: costs.anthropic,
    api: "anthropic-messages",
  });
  const sizes = model.requests.map(({ payload }) => JSON.stringify(payload).length);
  const failures = [...model.failures, ...errors];
  return { billed: [...model.billed], sizes, readAgain: reader.readAgain, failures };
}

/** Returns a bill in tokens of uncached input. */
export function unitsOf(billed: readonly BilledPrompt[], { read, write }: Prices): number {
  return billed.reduce((sum, one) => sum + one.input + one.read * read + one.written * write, 0);
}

async function run(
  options: PricedRunOptions,
  prompts: readonly string[],
  model: Pick<PiWorkspaceOptions, "model" | "cost" | "api">,
): Promise<readonly string[]> {
  const { pi, managed, breakpoints } = options;
  await using workspace = await openPiWorkspace({
    ...model,
    ...(options.rounds === undefined ? {} : { contextWindow: window }),
    files: longProject,
  });
  const openContext = openWith(workspace, managed ?? {});
  const extension = piExtension({
    openContext,
    ...(breakpoints === undefined ? {} : { breakpoints }),
  });
  const factories = managed === undefined ? [] : [extension];
  await using sdk = await openPiSdk({ pi, workspace, factories, deadlineMs });
  for (const prompt of prompts) await sdk.prompt(prompt);
  return [...sdk.errors];
}

function openWith(
  { agentFolder }: PiWorkspace,
  environment: Readonly<Record<string, string>>,
): Parameters<typeof piExtension>[0]["openContext"] {
  return async ({ host, workspace }) => {
    const at = join(agentFolder, "store.sqlite");
    const config = configFromEnvironment({ ...environment, SCM_STORE: at });
    const manager = await openContextManager({ ...config, workspace });
    return {
      session: await manager.openSession(host),
      [Symbol.asyncDispose]: async () => await manager[Symbol.asyncDispose](),
    };
  };
}
