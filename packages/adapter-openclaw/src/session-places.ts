import type { SessionEntry, SessionPlace } from "./openclaw-api.ts";

/** Returns the place of a session. The agent is named by the host, or else in the session's key. */
export function placeOf({
  agentId,
  sessionKey = "",
}: {
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
}): SessionPlace {
  const [, named] = /^agent:([^:]+):/u.exec(sessionKey) ?? [];
  return { agentId: agentId ?? named ?? "main", sessionKey };
}

/** Returns the agent of an engine by its folder, `agents/ID/agent`. */
export function agentIn(folder: string | undefined): string | undefined {
  return /agents[\\/]([^\\/]+)[\\/]agent[\\/]?$/u.exec(folder ?? "")?.[1];
}

export function placeName({ agentId, sessionKey }: SessionPlace): string {
  return `${agentId} ${sessionKey}`;
}

/**
 * Returns the id under which a session is stored. A reset keeps the host's session id and gives a new revision, so both are
 * part of it.
 */
export function sessionIdOf(
  { agentId, sessionKey }: SessionPlace,
  sessionId: string,
  entry: SessionEntry | undefined,
): string {
  const revision = entry?.lifecycleRevision;
  const parts = [agentId, sessionKey, sessionId, ...(revision === undefined ? [] : [revision])];
  return parts.join(" ");
}
