import type { SessionScope } from "../state/session-scope.ts";
import { indexNamed } from "./file-index.ts";

/**
 * The most files that join the pool in a turn because outputs of commands listed them. Most of them are never used, and
 * a turn can list the files of a project again and again.
 */
const mostListed = 200;

/** Adds files that the output of a command lists to the pool, as inactive and unread. The session is not stored. */
export async function joinListed(scope: SessionScope, paths: readonly string[]): Promise<void> {
  const { listed, state } = scope;
  const { turn } = state.chat.now();
  if (listed.turn !== turn) Object.assign(listed, { turn, names: 0 });
  const known = new Set(
    [...state.pool.entries.values()].map(({ stored: { body } }) => body["path"]),
  );
  const joining = paths
    .filter((path) => !known.has(path))
    .slice(0, Math.max(0, mostListed - listed.names));
  listed.names += (await indexNamed(scope, joining)).length;
}
