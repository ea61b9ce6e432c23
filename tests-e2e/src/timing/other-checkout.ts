import type * as adapter from "@self-context-manager/adapter-pi";
import type * as compose from "@self-context-manager/compose";
import type * as xtdb from "@self-context-manager/store-xtdb";
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import type { PiWorkspace } from "../pi-workspace.ts";

/** The code of another checkout, which must have its dependencies. */
export interface OtherCheckout extends Pick<typeof xtdb, "openXtdbStore" | "startNode"> {
  readonly commit: string;
  readonly piExtension: typeof adapter.piExtension;
  readonly openContextManager: typeof compose.openContextManager;
  readonly configFromEnvironment: typeof compose.configFromEnvironment;
  /** Returns a function that makes the extension of Pi for a workspace, with the given variables. */
  extensionWith(
    environment: Readonly<Record<string, string>>,
  ): (workspace: PiWorkspace) => ReturnType<typeof adapter.piExtension>;
}

/** Loads the code of another checkout into this process; undefined without a path. */
export async function otherCheckout(path: string | undefined): Promise<OtherCheckout | undefined> {
  if (path === undefined) return undefined;
  const folder = resolve(process.env["INIT_CWD"] ?? "", path);
  const load = async (name: string): Promise<unknown> =>
    await import(pathToFileURL(join(folder, "packages", name, "src", "index.ts")).href);
  const { piExtension } = (await load("adapter-pi")) as typeof adapter;
  const { configFromEnvironment, openContextManager } = (await load("compose")) as typeof compose;
  const { openXtdbStore, startNode } = (await load("store-xtdb")) as typeof xtdb;
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: folder,
    encoding: "utf8",
  }).trim();
  return {
    commit,
    piExtension,
    openContextManager,
    configFromEnvironment,
    openXtdbStore,
    startNode,
    extensionWith:
      (environment) =>
      ({ agentFolder }) =>
        piExtension({
          openContext: async ({ host, workspace }) => {
            const settings = { SCM_STORE: join(agentFolder, "store.sqlite"), ...environment };
            const config = configFromEnvironment(settings);
            const manager = await openContextManager({ ...config, workspace });
            return {
              session: await manager.openSession(host),
              [Symbol.asyncDispose]: async () => await manager[Symbol.asyncDispose](),
            };
          },
        }),
  };
}
