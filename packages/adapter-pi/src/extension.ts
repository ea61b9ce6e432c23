import type * as Compose from "@self-context-manager/compose";
import type { ContextSession, Patience, ReadLimits } from "@self-context-manager/core";
import { switchesOff } from "@self-context-manager/core/host";

import type { OpenedContext } from "./opened-context.ts";
import type { PiHost } from "./pi-api.ts";
import { inspectorPage, type ServedPage } from "./inspector-page.ts";
import { piExtension } from "./pi-extension.ts";
import { UnsupportedNodeError } from "./pi-notices.ts";

/** The patience of all stores that this process opens. */
let patience: Patience | undefined;

/** The limits of Pi's own `read`. */
const piReadLimits: ReadLimits = { lines: 2000, characters: 50 * 1024 };

const breakpoints = process.env["SCM_BREAKPOINTS"] ?? "";

const summaries = process.env["SCM_SUMMARIES"] ?? "";

const summaryModel = process.env["SCM_SUMMARY_MODEL"] ?? "";

/**
 * Pi's entry point; the settings come from the environment. `compose` is imported when a session starts, because the
 * store needs a Node with `node:sqlite`. On an older Node the extension loads, notifies the user and changes nothing.
 */
const extension: (host: PiHost) => void = piExtension({
  off: switchesOff(process.env["SCM_OFF"]),
  breakpoints: breakpoints === "host" ? "host" : "own",
  // Pi's own variable for long-lived cache entries.
  isCacheLong: process.env["PI_CACHE_RETENTION"] === "long",
  ...(summaries === "turns" || summaries === "results"
    ? {
        summaries: {
          results: summaries === "results",
          ...(summaryModel === "" ? {} : { model: summaryModel }),
        },
      }
    : {}),
  openContext: async ({ host, workspace, isEphemeral, notify }): Promise<OpenedContext> => {
    const { callPatience, ConfigError, configFromEnvironment, openContextManager } =
      await loadCompose();
    if (!["", "own", "host"].includes(breakpoints))
      throw new ConfigError("SCM_BREAKPOINTS", breakpoints, "own or host");
    patience ??= callPatience();
    // The user of `--no-session` asks for no trace, so this counts more than a store in the environment.
    const environment = isEphemeral
      ? { ...process.env, SCM_STORE: undefined, SCM_STORE_KIND: "memory" }
      : process.env;
    const config = configFromEnvironment(environment);
    const manager = await openContextManager({
      readLimits: piReadLimits,
      // No release of Pi reports whether another extension blocks its `read` or changes the result.
      activateUnread: "ask",
      ...config,
      workspace,
      patience,
      notify,
    });
    try {
      const session = await manager.openSession(host);
      const page = inspectorPage(async () => await servePage(manager, config, session));
      return {
        session,
        inspect: async () => await page.address(),
        [Symbol.asyncDispose]: async () => {
          // The store is closed even if the page cannot be.
          await using _ = manager;
          await page[Symbol.asyncDispose]();
        },
      };
    } catch (error) {
      await manager[Symbol.asyncDispose]();
      throw error;
    }
  },
});

/** Opens the inspector's page of a session. Its packages are loaded only here, so a start of Pi does not wait for them. */
async function servePage(
  { store, workspace }: Compose.ContextManager,
  { store: kind, at, xtdb }: Compose.EnvironmentConfig,
  session: ContextSession,
): Promise<ServedPage> {
  const [{ openInspector }, { everyLayout, openDocuments }] = await Promise.all([
    import("@self-context-manager/inspector"),
    loadCompose(),
  ]);
  const { sessionId } = await session.status();
  // A session in which nothing has happened is not stored; the list of sessions shows it as soon as it is.
  const [stored] = await store.describe([sessionId]);
  const documents = await openDocuments(store, { store: kind, at, xtdb });
  try {
    const inspector = await openInspector({
      store,
      layouts: everyLayout(),
      place: kind === "memory" ? "memory" : at,
      kind,
      parser: documents.parser,
      search: documents.search,
      workspace,
      ...(stored === undefined ? {} : { at: `sessions/${encodeURIComponent(sessionId)}` }),
      // Pi ends when it has nothing to do.
      keepsRunning: false,
    });
    return {
      url: inspector.url,
      [Symbol.asyncDispose]: async () => {
        // The index is closed even if the server cannot be.
        await using _ = documents;
        await inspector[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await documents[Symbol.asyncDispose]();
    throw error;
  }
}

async function loadCompose(): Promise<typeof Compose> {
  try {
    return await import("@self-context-manager/compose");
  } catch (error) {
    if (process.getBuiltinModule?.("node:sqlite") !== undefined) throw error;
    throw new UnsupportedNodeError(
      `The store needs Node 22.22 or newer with node:sqlite; this is Node ${process.version}. Start Pi with a newer Node.`,
      { cause: error },
    );
  }
}

// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default extension;
