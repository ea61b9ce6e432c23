import type * as Compose from "@self-context-manager/compose";
import type { Patience, ReadLimits } from "@self-context-manager/core";
import { switchesOff } from "@self-context-manager/core/host";

import type { OpenedContext } from "./opened-context.ts";
import type { PiHost } from "./pi-api.ts";
import { UnsupportedNodeError } from "./failure-notice.ts";
import { piExtension } from "./pi-extension.ts";

/** The patience of all stores that this process opens. */
let patience: Patience | undefined;

/** The limits of Pi's own `read`. */
const piReadLimits: ReadLimits = { lines: 2000, characters: 50 * 1024 };

const breakpoints = process.env["SCM_BREAKPOINTS"] ?? "";

/**
 * Pi's entry point; the settings come from the environment. `compose` is imported when a session starts, because the
 * store needs a Node with `node:sqlite`. On an older Node the extension loads, notifies the user and changes nothing.
 */
const extension: (host: PiHost) => void = piExtension({
  off: switchesOff(process.env["SCM_OFF"]),
  breakpoints: breakpoints === "host" ? "host" : "own",
  // Pi's own variable for long-lived cache entries.
  isCacheLong: process.env["PI_CACHE_RETENTION"] === "long",
  openContext: async ({ host, workspace, isEphemeral }): Promise<OpenedContext> => {
    const { callPatience, ConfigError, configFromEnvironment, openContextManager } =
      await loadCompose();
    if (!["", "own", "host"].includes(breakpoints))
      throw new ConfigError("SCM_BREAKPOINTS", breakpoints, "own or host");
    patience ??= callPatience();
    // The user of `--no-session` asks for no trace, so this counts more than a store in the environment.
    const environment = isEphemeral
      ? { ...process.env, SCM_STORE: undefined, SCM_STORE_KIND: "memory" }
      : process.env;
    const manager = await openContextManager({
      readLimits: piReadLimits,
      // No release of Pi reports whether another extension blocks its `read` or changes the result.
      activateUnread: "ask",
      ...configFromEnvironment(environment),
      workspace,
      patience,
    });
    try {
      const session = await manager.openSession(host);
      return {
        session,
        workspace: manager.workspace,
        check: async () => void (await manager.store.commit([])),
        [Symbol.asyncDispose]: async () => await manager[Symbol.asyncDispose](),
      };
    } catch (error) {
      await manager[Symbol.asyncDispose]();
      throw error;
    }
  },
});

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
