import {
  configFromEnvironment,
  type ContextManager,
  openContextManager,
  openStore,
  systemClock,
} from "@self-context-manager/compose";
import type { ObjectStore } from "@self-context-manager/core";
// The host resolves its own modules for a plugin, so they are no dependencies.
// @boundaries-ignore the host
import {
  buildMemorySystemPromptAddition,
  delegateCompactionToRuntime,
} from "openclaw/plugin-sdk/core";
// @boundaries-ignore the host
import * as diagnostics from "openclaw/plugin-sdk/diagnostic-runtime";
// @boundaries-ignore the host
import { readVisibleSessionTranscriptMessageEntries } from "openclaw/plugin-sdk/session-transcript-runtime";

import type { OpenClawApi } from "./openclaw-api.ts";
import { openClawPlugin, type OpenClawPlugin, type Runtimes } from "./openclaw-plugin.ts";
import { openClawRuntime, type OpenClawRuntime } from "./openclaw-runtime.ts";
import { environmentOf, isOffBySettings } from "./plugin-settings.ts";

/** OpenClaw loads this module several times in one process. All copies use the same runtime. */
const shared = Symbol.for("@self-context-manager/adapter-openclaw");

interface Shared {
  [shared]?: { readonly runtime: OpenClawRuntime; readonly settings: string } | undefined;
}

const holder = globalThis as typeof globalThis & Shared;

const runtimes: Runtimes = {
  registered(api) {
    const known = holder[shared];
    if (known?.settings === settingsOf(api)) return known.runtime;
    known?.runtime.close().catch((error: unknown) => api.logger.warn(String(error)));
    return began(api);
  },
  current: (api) => holder[shared]?.runtime ?? began(api),
};

function began(api: OpenClawApi): OpenClawRuntime {
  const made = newRuntime(api);
  const runtime: OpenClawRuntime = {
    ...made,
    async close() {
      if (holder[shared]?.runtime === runtime) holder[shared] = undefined;
      await made.close();
    },
  };
  holder[shared] = { runtime, settings: settingsOf(api) };
  return runtime;
}

function settingsOf({ pluginConfig }: OpenClawApi): string {
  return JSON.stringify(pluginConfig ?? {});
}

function newRuntime(api: OpenClawApi): OpenClawRuntime {
  const managers = new Map<string, Promise<ContextManager>>();
  let store: Promise<ObjectStore> | undefined;

  async function manager(workspace: string): Promise<ContextManager> {
    const {
      store: kind,
      at,
      xtdb,
      ...settings
    } = configFromEnvironment(environmentOf(api.pluginConfig, process.env));
    store ??= openStore({ store: kind, at, xtdb, clock: systemClock });
    const opening =
      managers.get(workspace) ??
      openContextManager({ activateUnread: "ask", ...settings, store: await store, workspace });
    managers.set(workspace, opening);
    try {
      return await opening;
    } catch (error) {
      managers.delete(workspace);
      store = undefined;
      throw error;
    }
  }

  return openClawRuntime({
    openSession: async (sessionId, workspace) =>
      await (await manager(workspace)).openSession({ harness: "openclaw", sessionId }),
    close: async () => {
      for (const one of managers.values()) await (await one)[Symbol.asyncDispose]();
      await (await store)?.[Symbol.asyncDispose]();
      managers.clear();
      store = undefined;
    },
    sdk: {
      run() {
        const { traceId, parentSpanId } =
          diagnostics.createDiagnosticTraceContextFromActiveScope?.() ?? {};
        return traceId === undefined ? undefined : `${traceId} ${parentSpanId ?? ""}`;
      },
      memoryPrompt: (request) => buildMemorySystemPromptAddition(request),
      async transcript(session) {
        const entries = await readVisibleSessionTranscriptMessageEntries(session);
        return entries.map(({ message }) => message);
      },
      compact: async (parameters) => await delegateCompactionToRuntime(parameters),
    },
    logger: api.logger,
    config: () => api.config,
    isOff: isOffBySettings(api.pluginConfig, process.env),
    workspaceOf: (agentId) =>
      api.runtime.agent?.resolveAgentWorkspaceDir?.(api.config, agentId) ?? process.cwd(),
    entryOf: (place) => api.runtime.agent?.session?.getSessionEntry?.(place),
  });
}

const plugin: OpenClawPlugin = openClawPlugin(runtimes);

// oxlint-disable-next-line import/no-default-export -- OpenClaw loads a plugin by its default export.
export default plugin;
