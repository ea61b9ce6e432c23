import { sessionSettings, type SessionSettings } from "@self-context-manager/compose";
import {
  type ContextSession,
  type HostSession,
  openContextSession,
  type SessionDependencies,
  silentLogger,
} from "@self-context-manager/core";
import type { HarnessHost, HostSettings } from "@self-context-manager/testkit";

type Place = Pick<SessionDependencies, "store" | "files" | "ids" | "workspace" | "tracker"> &
  Partial<Pick<SessionDependencies, "activateUnread" | "toolFacts">>;

/** Opens a session as `compose` does, with the settings that the laws name. */
export async function openHostSession(
  place: Place,
  settings: HostSettings,
  host: HostSession,
): Promise<ContextSession> {
  return await openContextSession(
    { ...hostSettings[settings], ...place, logger: silentLogger },
    host,
  );
}

/** The settings of hosts, by the names that the laws use. */
const hostSettings: Readonly<Record<HostSettings, SessionSettings>> = {
  defaults: sessionSettings(),
  specification: sessionSettings({
    policy: { type: "window" },
    epochs: { small: 0, deactivate: "immediate" },
  }),
  pooled: sessionSettings({ policy: { type: "window" }, layout: "pooled" }),
};

/** The calls of the tools of a host that has a folder in memory. */
export const memoryFolderCalls: HarnessHost["calls"] = {
  read: (path, lines) => ({ name: "read", arguments: { path, ...lines } }),
  show: (path) => ({ name: "show", arguments: { path } }),
  fail: (path) => ({ name: "crash", arguments: { path } }),
  picture: (path) => ({ name: "photo", arguments: { path } }),
  write: (path, text) => ({ name: "write", arguments: { path, text } }),
};
