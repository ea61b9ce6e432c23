import type { HostOptions } from "../model/host.ts";
import type { ModelPrices, PriceRates } from "../model/model-access.ts";

/** The variables of the gateway's environment to which its configuration refers. So the file has no secret. */
export const openClawVariables = {
  key: "EVALUATE_MODEL_KEY",
  token: "OPENCLAW_GATEWAY_TOKEN",
} as const;

/** A reference to the key, so that no file of the gateway has it. */
const keyReference = { source: "env", provider: "default", id: openClawVariables.key } as const;

/** The name of the provider in OpenClaw's configuration. */
const provider = "evaluate";

/** The id of the plugin in OpenClaw's configuration. */
const pluginId = "self-context-manager";

/** Seconds that a request may wait for its answer. The meter holds requests back for its rate limits. */
const requestSeconds = 3_600;

export interface OpenClawConfigOptions extends HostOptions {
  readonly port: number;
  /** The folder of the plugin. Undefined: it is not loaded. */
  readonly plugin: string | undefined;
  readonly thinking: string;
}

/** Returns the configuration of a gateway with one agent, one model and no channels. */
export function openClawConfig(options: OpenClawConfigOptions): object {
  const { arm, access, workspace, plugin, port, thinking } = options;
  const name = `${provider}/${access.id}`;
  return {
    agents: {
      defaults: {
        skipBootstrap: true,
        // A heartbeat would make model calls that no prompt asked for.
        heartbeat: { every: "0m" },
        model: { primary: name },
        thinkingDefault: access.isReasoning ? thinking : "off",
        // Without it OpenClaw marks no breakpoints for a server that is not Anthropic's own.
        models: { [name]: { params: { cacheRetention: "short" } } },
        // With it OpenClaw shortens old results, which the context manager does.
        ...(arm.isManaged ? { contextPruning: { mode: "off" } } : {}),
      },
      entries: { main: { workspace } },
    },
    models: {
      mode: "replace",
      catalogRefresh: { enabled: false },
      providers: {
        [provider]: {
          baseUrl: access.url,
          apiKey: access.key === "" ? "none" : keyReference,
          api: access.api,
          timeoutSeconds: requestSeconds,
          models: [
            {
              id: access.id,
              name: access.id,
              reasoning: access.isReasoning,
              input: ["text", "image"],
              contextWindow: access.contextWindow,
              maxTokens: access.maxTokens,
              ...(access.prices === undefined ? {} : { cost: ratesOf(access.prices) }),
            },
          ],
        },
      },
    },
    ...((arm.withoutTools ?? []).length === 0 ? {} : { tools: { deny: arm.withoutTools } }),
    skills: { allowBundled: [] },
    plugins:
      plugin === undefined
        ? {}
        : {
            load: { paths: [plugin] },
            slots: { contextEngine: pluginId },
            entries: { [pluginId]: { enabled: true } },
          },
    gateway: {
      mode: "local",
      bind: "loopback",
      port,
      auth: { mode: "token", token: `\${${openClawVariables.token}}` },
      http: { endpoints: { chatCompletions: { enabled: true } } },
    },
    discovery: { mdns: { mode: "off" } },
  };
}

/** OpenClaw refuses a configuration with fields that it does not know, and it knows no prices of longer requests. */
function ratesOf({ input, output, cacheRead, cacheWrite }: ModelPrices): PriceRates {
  return { input, output, cacheRead, cacheWrite };
}
