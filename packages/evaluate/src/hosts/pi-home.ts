import { defined } from "@self-context-manager/objects";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { HostOptions } from "../model/host.ts";
import type { ModelAccess } from "../model/model-access.ts";
import { hostError } from "./host-error.ts";
import type { PiInstallation } from "./pi-installation.ts";

/** The folders of one Pi, with nothing of the user's own Pi in them. */
export interface PiHome {
  /** The whole environment of Pi. */
  readonly environment: Readonly<Record<string, string>>;
  readonly errorFile: string;
}

/** The variable that has the provider's key. So `models.json`, which is kept with the results, does not have it. */
const keyVariable = "EVALUATE_MODEL_KEY";

/** Pi's own defaults of compaction. */
const usual = { reserveTokens: 16_384, keepRecentTokens: 20_000 };

/**
 * Makes the folders of Pi and writes its settings and its model. `isKnown`: the model is one of Pi's own data, and only its
 * address, its limits and its prices are replaced, so that the facts about its protocol stay.
 */
export async function writePiHome(
  pi: PiInstallation,
  options: HostOptions,
  isKnown: boolean,
): Promise<PiHome> {
  await mkdir(options.home, { recursive: true });
  const home = await realpath(options.home);
  const [agent, user, temporary] = ["agent", "user", "tmp"].map((name) => join(home, name));
  if (agent === undefined || user === undefined || temporary === undefined)
    throw new TypeError("three names give three folders");
  const folders = [join(agent, "sessions"), user, temporary];
  await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true })));
  await writeFile(join(agent, "models.json"), modelsJson(pi, options.access, isKnown));
  await writeFile(join(agent, "settings.json"), settingsJson(options));
  const { arm } = options;
  return {
    environment: {
      PATH: process.env["PATH"] ?? "",
      HOME: user,
      TMPDIR: temporary,
      LANG: process.env["LANG"] ?? "C.UTF-8",
      NO_COLOR: "1",
      PI_CODING_AGENT_DIR: agent,
      PI_OFFLINE: "1",
      [keyVariable]: options.access.key,
      ...arm.environment,
      ...(arm.isManaged ? { SCM_STORE: options.store } : {}),
    },
    errorFile: join(home, "pi-errors.txt"),
  };
}

function modelsJson(pi: PiInstallation, access: ModelAccess, isKnown: boolean): string {
  const facts = {
    reasoning: access.isReasoning,
    contextWindow: access.contextWindow,
    maxTokens: access.maxTokens,
    ...defined({ cost: access.prices }),
  };
  const models = {
    models: [{ id: access.id, name: access.id, input: ["text", "image"], ...facts }],
  };
  return JSON.stringify({
    providers: {
      [access.provider]: {
        baseUrl: access.url,
        apiKey: keyReference(pi, access.key),
        ...(isKnown ? { modelOverrides: { [access.id]: facts } } : { api: access.api, ...models }),
      },
    },
  });
}

/** Pi requires a key, also for a server that needs none. */
function keyReference(pi: PiInstallation, key: string): string {
  if (key === "") return "none";
  return pi.readsDollar ? `$${keyVariable}` : keyVariable;
}

function settingsJson({ arm, access }: HostOptions): string {
  return JSON.stringify({
    quietStartup: true,
    enableInstallTelemetry: false,
    retry: { enabled: true },
    compaction: { enabled: true, ...compactionOf(access.contextWindow, arm.compactsAt) },
  });
}

/** Pi compacts when a prompt has more tokens than the window without `reserveTokens`. */
function compactionOf(
  window: number,
  compactsAt: number | undefined,
): { readonly reserveTokens: number; readonly keepRecentTokens: number } {
  if (compactsAt === undefined) {
    // With a small window, Pi's own numbers would compact at every turn.
    const most = Math.floor(window / 4);
    return {
      reserveTokens: Math.min(usual.reserveTokens, most),
      keepRecentTokens: Math.min(usual.keepRecentTokens, most),
    };
  }
  if (compactsAt >= window)
    throw hostError(
      `the arm compacts at ${compactsAt} tokens, and the model has a window of ${window}; choose fewer tokens`,
    );
  return {
    reserveTokens: window - compactsAt,
    keepRecentTokens: Math.min(usual.keepRecentTokens, Math.floor(compactsAt / 3)),
  };
}
