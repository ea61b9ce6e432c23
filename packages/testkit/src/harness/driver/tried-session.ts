import {
  type ContextSession,
  epochLayout,
  type HostSession,
  openContextSession,
  pooledLayout,
  recentlyUsedPolicy,
  type SessionDependencies,
  silentLogger,
  windowPolicy,
} from "@self-context-manager/core";

import type { HostSettings } from "../harness-host.ts";

/** The parts of a session that connect it with a host. */
export type TriedPlace = Pick<
  SessionDependencies,
  "store" | "files" | "ids" | "workspace" | "tracker"
> &
  Partial<
    Pick<
      SessionDependencies,
      "activateUnread" | "documents" | "longTexts" | "findIn" | "mask" | "toolFacts"
    >
  >;

/** Opens a session on a store of the driver, with the settings that the laws name. It logs nothing. */
export async function openTriedSession(
  place: TriedPlace,
  settings: HostSettings,
  host: HostSession,
): Promise<ContextSession> {
  return await openContextSession({ ...parts[settings], ...place, logger: silentLogger }, host);
}

type SettingParts = Pick<SessionDependencies, "policy" | "layout" | "readLimits">;

/** The limits that compose sets by default. */
const readLimits = { lines: 2000, characters: 50 * 1024 };

/** The parts of a session by the names that the laws use. A test compares `defaults` with compose. */
const parts: Readonly<Record<HostSettings, SettingParts>> = {
  defaults: {
    policy: recentlyUsedPolicy(),
    layout: epochLayout(),
    readLimits,
  },
  specification: {
    policy: windowPolicy(),
    layout: epochLayout({ small: 0, deactivate: "immediate" }),
    readLimits,
  },
  pooled: { policy: windowPolicy(), layout: pooledLayout, readLimits },
};

/** All settings with which the laws hold, the default first. */
export const hostSettings: readonly HostSettings[] = ["defaults", "specification", "pooled"];
