import {
  type ContextSession,
  epochLayout,
  type HostSession,
  type Layout,
  openContextSession,
  pooledLayout,
  type SessionDependencies,
  silentLogger,
  windowPolicy,
} from "@self-context-manager/core";
import type { HarnessHost, HostLayout } from "@self-context-manager/testkit";

type Place = Pick<SessionDependencies, "store" | "files" | "ids" | "workspace">;

/** Opens a session as `compose` does, with the policy and the layout that the laws name. */
export async function openHostSession(
  place: Place,
  layout: HostLayout,
  host: HostSession,
): Promise<ContextSession> {
  return await openContextSession(
    {
      ...place,
      logger: silentLogger,
      policy: windowPolicy(),
      layout: hostLayouts[layout],
      readLimits: { lines: 2_000, characters: 50_000 },
    },
    host,
  );
}

/** The layouts of hosts, by the names that the laws use. */
const hostLayouts: Readonly<Record<HostLayout, Layout>> = {
  epoch: epochLayout({ small: 0, deactivate: "immediate" }),
  pooled: pooledLayout,
};

/** The calls of the tools of a host that has a folder in memory. */
export const memoryFolderCalls: HarnessHost["calls"] = {
  read: (path) => ({ name: "read", arguments: { path } }),
  show: (path) => ({ name: "show", arguments: { path } }),
  fail: (path) => ({ name: "crash", arguments: { path } }),
  picture: (path) => ({ name: "photo", arguments: { path } }),
  write: (path, text) => ({ name: "write", arguments: { path, text } }),
};
