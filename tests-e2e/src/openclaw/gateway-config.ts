import { join } from "node:path";

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
  readonly api?: "openai-completions" | "anthropic-messages";
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

/** The folder of the built plugin. */
const pluginFolder = join(import.meta.dirname, "..", "..", "..", "packages", "adapter-openclaw");

/** Returns the configuration of a gateway that has a scripted model and no channels. */
export function gatewayConfig(options: GatewayConfigOptions): Readonly<Record<string, unknown>> {
  const { folder, port, token, agents = [], plugin, others = {}, config = {} } = options;
  const { api = "openai-completions" } = options;
  const isManaged = plugin !== undefined;
  return {
    agents: {
      defaults: {
        skipBootstrap: true,
        model: { primary: "mock/mock-1" },
        // Without this setting the host marks no breakpoints for a server that is not Anthropic's own.
        ...(api === "anthropic-messages"
          ? { models: { "mock/mock-1": { params: { cacheRetention: "short" } } } }
          : {}),
      },
      entries: Object.fromEntries(
        ["main", ...agents].map((agent) => [agent, { workspace: join(folder, "work", agent) }]),
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
          models: [mockModel("mock-1"), mockModel("claude-opus-5-5")],
        },
      },
    },
    skills: { allowBundled: [] },
    plugins: {
      load: {
        paths: [
          ...Object.values(others).map((other) => other.folder),
          ...(isManaged ? [pluginFolder] : []),
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

function mockModel(id: string): object {
  return {
    id,
    name: id,
    reasoning: false,
    input: ["text", "image"],
    cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    contextWindow: 200_000,
    maxTokens: 4096,
  };
}
