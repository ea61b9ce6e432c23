import { presenceOf, type StoredVersion } from "@self-context-manager/objects";
import { rawEstimator } from "../cost/calibrated-estimator.ts";
import { shorterDifference } from "../render/text-difference.ts";
import type { Activation } from "../state/active-sets.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { PoolEntry } from "../view/pool-entry.ts";

/**
 * Tokens up to which a change by others is shown. A change is also shown only if it has no more tokens than the text that
 * the model got. A larger change is only reported: the model did not ask for it, and a growing log would fill the view.
 */
const mostTokens = 400;

/** Characters above which a text certainly has more than `mostTokens`, so that its tokens need not be counted. */
const mostCharacters = mostTokens * 8;

/**
 * Lets active files that others have changed show their newest version, if that costs little: a version with the same
 * content, as after a move, costs nothing, and a change can be shown that is small and no longer than the text that it
 * changes. Any other active file keeps the version that the model got, and the view reports that there is a newer one.
 */
export async function followChanges(scope: SessionScope): Promise<void> {
  const { state } = scope;
  for (const [id, activation] of state.active.activations) {
    const entry = state.pool.get(id);
    const isOlder =
      activation.version !== undefined &&
      entry !== undefined &&
      activation.version < entry.stored.version &&
      presenceOf(entry.stored.body) === "present";
    if (!isOlder || !(await mayFollow(scope, entry, activation))) continue;
    state.active.show(id, { ...activation, version: entry.stored.version });
  }
}

async function mayFollow(
  scope: SessionScope,
  entry: PoolEntry,
  { version, ranges }: Activation,
): Promise<boolean> {
  const { layout, activateUnread } = scope.dependencies;
  const shown = await versionOf(scope, entry, version);
  if (shown === undefined || shown.hashes.content_hash === entry.stored.hashes.content_hash)
    return true;
  if (activateUnread === "ask") return false;
  if (layout.followsFiles === true) return true;
  if (ranges !== undefined) return false;
  const growth = Number(entry.stored.body["char_count"] ?? 0) - (shown.body.content ?? "").length;
  if (Math.abs(growth) > mostCharacters) return false;
  const newest = await versionOf(scope, entry, entry.stored.version);
  const [before, after] = [shown.body.content, newest?.body.content];
  if (typeof before !== "string" || typeof after !== "string") return false;
  const text = shorterDifference(before, after)?.patch ?? after;
  if (text.length > mostCharacters) return false;
  const limit = Math.min(mostTokens, rawEstimator.text(before.slice(0, mostCharacters)));
  return rawEstimator.text(text) <= limit;
}

async function versionOf(
  { contents, dependencies }: SessionScope,
  { id }: PoolEntry,
  version: number | undefined,
): Promise<StoredVersion | undefined> {
  const held = contents.get(id);
  if (held !== undefined && held.version === version) return held;
  return version === undefined ? undefined : await dependencies.store.get(id, { version });
}
