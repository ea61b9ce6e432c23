import {
  callPatience,
  configFromEnvironment,
  type ContextManager,
  openContextManager,
  openStore,
  secretsPath,
  systemClock,
} from "@self-context-manager/compose";
import type { ContextSession, ObjectStore } from "@self-context-manager/core";
import { defined, isSessionGone, type SummaryOptions } from "@self-context-manager/core/host";
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
import { openClawSummarizer } from "./openclaw-summarizer.ts";
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

/** The patience of all stores that this process opens. */
const patience = callPatience();

/** An open store, with the parts that sessions need in each working folder. */
interface OpenedStore {
  readonly settings: ReturnType<typeof configFromEnvironment>;
  readonly store: ObjectStore;
  readonly managers: Map<string, Promise<ContextManager>>;
}

function newRuntime(api: OpenClawApi): OpenClawRuntime {
  let opening: Promise<OpenedStore> | undefined;

  const settingsNow = (): OpenedStore["settings"] =>
    configFromEnvironment(environmentOf(api.pluginConfig, process.env));

  const notify = (text: string): void => api.logger.warn(`self-context-manager: ${text}`);

  async function open(): Promise<OpenedStore> {
    const settings = settingsNow();
    const { store: kind, at, xtdb } = settings;
    const clock = systemClock;
    const store = await openStore({ store: kind, at, xtdb, clock, patience, notify });
    return { settings, store, managers: new Map() };
  }

  async function openIn(
    { settings, store, managers }: OpenedStore,
    sessionId: string,
    workspace: string,
  ): Promise<ContextSession> {
    // A store whose file was deleted notices it only when something is written.
    await store.commit([]);
    const { store: kind, at, xtdb, ...rest } = settings;
    const manager =
      managers.get(workspace) ??
      openContextManager({
        activateUnread: "ask",
        secrets: "mask",
        ...defined({ secretsAt: secretsPath({ store: kind, at, xtdb }) }),
        ...rest,
        store,
        workspace,
      });
    managers.set(workspace, manager);
    return await (await manager).openSession({ harness: "openclaw", sessionId });
  }

  async function close(opened: OpenedStore): Promise<void> {
    for (const manager of opened.managers.values()) await (await manager)[Symbol.asyncDispose]();
    await opened.store[Symbol.asyncDispose]();
  }

  async function openSession(sessionId: string, workspace: string): Promise<ContextSession> {
    const now = (opening ??= open());
    try {
      return await openIn(await now, sessionId, workspace);
    } catch (error) {
      const isLost = isSessionGone(error);
      const isClosed = await now.then(
        () => isLost,
        () => true,
      );
      if (isClosed && opening === now) opening = undefined;
      if (!isLost) throw error;
      // The file of the store was deleted or replaced, so a new store is begun there for all sessions.
      return await openIn(await (opening ??= open()), sessionId, workspace);
    }
  }

  return openClawRuntime({
    openSession,
    close: async () => {
      const now = opening;
      opening = undefined;
      if (now !== undefined) await close(await now);
    },
    storePlace: () => {
      const { store: kind, at } = settingsNow();
      return { kind, at };
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
    ...defined({ summaries: summariesOf(api) }),
    workspaceOf: (agentId) =>
      api.runtime.agent?.resolveAgentWorkspaceDir?.(api.config, agentId) ?? process.cwd(),
    entryOf: (place) => api.runtime.agent?.session?.getSessionEntry?.(place),
  });
}

/** Returns the model that writes summaries; undefined if the settings name none. */
function summariesOf({ pluginConfig, runtime: { llm } }: OpenClawApi): SummaryOptions | undefined {
  const environment = environmentOf(pluginConfig, process.env);
  const way = environment["SCM_SUMMARIES"];
  // A value that is not allowed is reported when the store is opened.
  if (way !== "turns" && way !== "results") return undefined;
  const model = environment["SCM_SUMMARY_MODEL"];
  const complete = llm?.complete?.bind(llm);
  return { summarizer: openClawSummarizer(complete, model), results: way === "results" };
}

const plugin: OpenClawPlugin = openClawPlugin(runtimes);

// oxlint-disable-next-line import/no-default-export -- OpenClaw loads a plugin by its default export.
export default plugin;
