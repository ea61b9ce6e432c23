import { setTimeout as pause } from "node:timers/promises";

import { type CacheRules, pricesOf, unitsOf } from "../caching/priced-run.ts";
import { adapterFolder } from "../managed-run.ts";
import { forkSession, openPiSdk, type PiSdk } from "../pi-sdk.ts";
import type { PiVersion } from "../pi-versions.ts";
import { openPiWorkspace } from "../pi-workspace.ts";
import { answersInOrder } from "./answers.ts";
import { atRest } from "./at-rest.ts";
import { newDataFolder } from "./data-folder.ts";
import { silentUser } from "./host-ui.ts";
import { type Api, openProvider } from "./provider.ts";
import type { ExtensionPath, Scenario, Side, Stage, Step } from "./scenario.ts";
import { inEnvironment } from "./test-environment.ts";

export interface PlayOptions {
  readonly pi: PiVersion;
  readonly api: Api;
  readonly isManaged: boolean;
}

/** The provider whose rules the server of an API bills by. */
const rulesOf: Readonly<Record<Api, CacheRules>> = {
  "anthropic-messages": "anthropic",
  "openai-completions": "openai",
};

/** Pi's own settings, except the pause before a retry. A user has no others. */
const usualSettings = {
  compaction: { enabled: true },
  retry: { enabled: true, maxRetries: 3, baseDelayMs: 1 },
};

/** The times in which a watcher reports a change, and an absence. It has no outward sign, and plain Pi has no watcher. */
const watcherPausesMs = { change: 250, absence: 800 } as const;

/** The time limit of one prompt. It is far above what any scenario needs. */
const promptDeadlineMs = 20_000;

/** Plays a scenario on one side: in plain Pi, or with the built extension as a user installs it. */
export async function play(scenario: Scenario, options: PlayOptions): Promise<Side> {
  const { pi, api, isManaged } = options;
  const began = performance.now();
  const answers = answersInOrder();
  const problems: string[] = [];
  const { ui, notices } = silentUser();
  await using provider = await openProvider({
    api,
    window: scenario.window?.[api],
    answer: async (request) => {
      const reply = await answers.next(request);
      if (!request.isSummary) steps.push({ request, allowed });
      return reply;
    },
  });
  await using workspace = await openPiWorkspace({
    model: provider.model,
    api,
    files: scenario.files?.() ?? {},
    settings: usualSettings,
    ...(scenario.contextWindow === undefined ? {} : { contextWindow: scenario.contextWindow }),
  });
  let data = await newDataFolder(workspace.agentFolder);
  const steps: Step[] = [];
  let allowed = 0;
  const path = (one: ExtensionPath): string => (typeof one === "string" ? one : one(pi));
  const extensions = [
    ...(scenario.extensions?.before ?? []).map(path),
    ...(isManaged ? [adapterFolder] : []),
    ...(scenario.extensions?.after ?? []).map(path),
  ];
  let sessionFile: string | undefined;

  const open = async (): Promise<PiSdk> =>
    await openPiSdk({
      pi,
      workspace,
      extensions,
      ui,
      deadlineMs: promptDeadlineMs,
      ...(sessionFile === undefined ? {} : { sessionFile }),
    });

  async function run(): Promise<void> {
    let sdk = await inData(open);
    const close = async (): Promise<void> => {
      sessionFile = sdk.session.sessionFile;
      await sdk[Symbol.asyncDispose]();
      problems.push(...sdk.errors);
    };
    const reopen = async (): Promise<void> => {
      sdk = await inData(open);
    };
    const stage: Stage = {
      isManaged,
      workFolder: workspace.workFolder,
      async prompt(text, ...given) {
        answers.add(given);
        try {
          await inData(async () => {
            await sdk.prompt(text);
            await atRest(pi, sdk, promptDeadlineMs);
          });
          problems.push(...failuresOf(text, sdk));
        } catch (error) {
          problems.push(`the prompt ${JSON.stringify(text)} failed: ${String(error)}`);
        }
        const left = answers.drop();
        if (left > 0) problems.push(`the prompt ${JSON.stringify(text)} left ${left} answers`);
      },
      async command(text) {
        if (isManaged) await inData(async () => await sdk.prompt(text));
      },
      otherCommand: async (text) => await inData(async () => await sdk.prompt(text)),
      async compact() {
        await inData(async () => await sdk.session.compact());
      },
      async resume() {
        await close();
        await reopen();
      },
      async fork() {
        await close();
        sessionFile = await forkSession(pi, sessionFile ?? "");
        await reopen();
      },
      async moveHouse() {
        data = await newDataFolder(workspace.agentFolder);
      },
      async loseStore() {
        if (isManaged) await data.remove();
      },
      async damageStore(part) {
        if (isManaged) data.damage(part);
      },
      lockStore: async () =>
        isManaged ? await data.lock() : { [Symbol.asyncDispose]: async () => undefined },
      allow: (tokens) => void (allowed += tokens),
      async noticed(kind = "change") {
        if (isManaged) await pause(watcherPausesMs[kind]);
      },
    };
    try {
      await scenario.play(stage);
    } finally {
      await inData(close);
    }
  }

  async function inData<Result>(work: () => Promise<Result>): Promise<Result> {
    return await inEnvironment({ ...data.environment, ...scenario.environment }, work);
  }

  await run();
  const stored = scenario.readsStore === true && isManaged ? await data.text() : "";
  return {
    steps,
    requests: provider.requests,
    units: unitsOf(provider.billed, pricesOf[rulesOf[api]]),
    refused: provider.requests.filter(({ index }) => provider.refused.has(index)),
    problems: [...problems, ...provider.failures],
    notices,
    stored,
    milliseconds: Math.round(performance.now() - began),
  };
}

/** Returns the failure of the last run. Pi resolves a prompt whose run failed, so the last message must show it. */
function failuresOf(prompt: string, { session }: PiSdk): readonly string[] {
  const last: unknown = session.messages.at(-1);
  const isEnd =
    typeof last === "object" && last !== null && "stopReason" in last && last.stopReason === "stop";
  return isEnd
    ? []
    : [`the prompt ${JSON.stringify(prompt)} ended with ${JSON.stringify(last).slice(0, 500)}`];
}
