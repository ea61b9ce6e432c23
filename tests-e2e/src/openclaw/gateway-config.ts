import { existsSync } from "node:fs";
import { join } from "node:path";

import { checkout } from "../packed-packages.ts";
import type { GatewayApi } from "./gateway-model.ts";

/** The id of the plugin in OpenClaw's configuration. */
const pluginId = "self-context-manager";

export interface GatewayConfigOptions {
  /** The gateway's folder. */
  readonly folder: string;
  readonly port: number;
  readonly token?: string;
  /** The base URL of the model's server. */
  readonly model: string;
  /** The protocol of the server. Default: OpenAI's chat completions. */
  readonly api?: GatewayApi;
  /** The window of the models, in tokens. Default: 200,000. */
  readonly contextWindow?: number;
  /** Models that the host asks if the usual one fails. */
  readonly fallbacks?: readonly string[];
  /** The working folder of the first agent. Default: a folder in the gateway's own. */
  readonly workspace?: string;
  /** Names of further agents, each with a workspace of its own. The first agent is `main`. */
  readonly agents?: readonly string[];
  /** The settings of the plugin; undefined: the plugin is not loaded. */
  readonly plugin?: Readonly<Record<string, unknown>> | undefined;
  /** Other plugins by their ids. They are loaded before this one. */
  readonly others?: Readonly<
    Record<
      string,
      { readonly folder: string; readonly settings: Readonly<Record<string, unknown>> }
    >
  >;
  /** Fields that are put into the configuration, instead of the usual ones. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** The usual model, and one that binds its thinking. */
const modelIds = ["mock-1", "claude-opus-5-5"] as const;

const marked = { params: { cacheRetention: "short" } };

/** The folder of the plugin's package. */
export const pluginFolder: string = join(checkout, "packages", "adapter-openclaw");

/** Returns the folder of the plugin that a gateway loads. A gateway whose plugin is not built would work without it. */
function builtPlugin(): string {
  if (!existsSync(join(pluginFolder, "dist", "plugin.js")))
    throw new Error("the OpenClaw plugin is not built; run `npm run dev -- build`");
  return pluginFolder;
}

/** Returns the configuration of a gateway that has a scripted model and no channels. */
export function gatewayConfig(options: GatewayConfigOptions): Readonly<Record<string, unknown>> {
  const { folder, port, token, agents = [], plugin, others = {}, config = {} } = options;
  const { api = "openai-completions", fallbacks } = options;
  const isManaged = plugin !== undefined;
  return {
    agents: {
      defaults: {
        skipBootstrap: true,
        model: { primary: "mock/mock-1", ...(fallbacks === undefined ? {} : { fallbacks }) },
        ...(api === "anthropic-messages" ? { thinkingDefault: "low" } : {}),
        // Without this setting the host marks no breakpoints for a server that is not Anthropic's own.
        ...(api === "anthropic-messages"
          ? { models: Object.fromEntries(modelIds.map((id) => [`mock/${id}`, marked])) }
          : {}),
      },
      entries: Object.fromEntries(
        ["main", ...agents].map((agent) => [
          agent,
          {
            workspace:
              agent === "main" && options.workspace !== undefined
                ? options.workspace
                : join(folder, "work", agent),
          },
        ]),
      ),
    },
    models: {
      mode: "replace",
      catalogRefresh: { enabled: false },
      providers: {
        mock: {
          baseUrl: options.model,
          apiKey: "sk-mock",
          api,
          models: modelIds.map((id) => mockModel(id, api, options.contextWindow)),
        },
      },
    },
    skills: { allowBundled: [] },
    plugins: {
      load: {
        paths: [
          ...Object.values(others).map((other) => other.folder),
          ...(isManaged ? [builtPlugin()] : []),
        ],
      },
      ...(isManaged ? { slots: { contextEngine: pluginId } } : {}),
      entries: {
        ...Object.fromEntries(
          Object.entries(others).map(([id, { settings }]) => [
            id,
            { enabled: true, config: settings },
          ]),
        ),
        ...(isManaged ? { [pluginId]: { enabled: true, config: plugin } } : {}),
      },
    },
    gateway: {
      mode: "local",
      bind: "loopback",
      port,
      auth: { mode: "token", token },
      http: { endpoints: { chatCompletions: { enabled: true } } },
    },
    discovery: { mdns: { mode: "off" } },
    ...config,
  };
}

function mockModel(id: string, api: string, contextWindow = 200_000): object {
  return {
    id,
    name: id,
    reasoning: api === "anthropic-messages",
    input: ["text", "image"],
    cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    contextWindow,
    maxTokens: 4096,
  };
}
