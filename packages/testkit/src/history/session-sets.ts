import type { ContextSession } from "@self-context-manager/core";
import assert from "node:assert/strict";

/** Where a session's objects stand: the handle, the path and the state of each, by id. */
export type SessionSets = ReadonlyMap<string, SetEntry>;

interface SetEntry {
  readonly handle: string;
  readonly path: string | undefined;
  readonly state: "active" | "pinned" | "inactive";
}

export async function setsOf(session: ContextSession): Promise<SessionSets> {
  const { objects } = await session.status();
  return new Map(
    objects.map(({ handle, state, stored }) => {
      const path = stored.body["path"];
      return [stored.body.id, { handle, state, path: typeof path === "string" ? path : undefined }];
    }),
  );
}

/** What the model's calls named since the sets were looked at last: handles and paths. */
export interface Named {
  /** By `activate`, `pin` and `read`. */
  readonly asked: ReadonlySet<string>;
  /** By `deactivate`. */
  readonly deactivated: ReadonlySet<string>;
  /** Whether a call named a file: a policy may take what has to do with it for used. */
  readonly hasFiles: boolean;
}

/**
 * Nothing becomes active by itself: what was known and is active now was so before, or was asked for. Answers what the
 * model has deactivated and nobody has asked for since.
 */
export function checkNothingWoke(
  before: SessionSets,
  now: SessionSets,
  off: ReadonlySet<string>,
  { asked, deactivated, hasFiles }: Named,
): ReadonlySet<string> {
  const isAsked = ({ handle, path }: SetEntry): boolean =>
    asked.has(handle) || (path !== undefined && asked.has(path));
  const woken = [...now].filter(([id, entry]) => {
    const was = before.get(id);
    if (entry.state === "inactive" || was === undefined || was.state !== "inactive") return false;
    return !isAsked(entry) && (off.has(id) || !hasFiles);
  });
  assert.deepEqual(
    woken.map(([, entry]) => entry),
    [],
    "nothing becomes active by itself",
  );
  const offNow = [...now].filter(([id, entry]) => {
    if (entry.state !== "inactive" || isAsked(entry)) return false;
    const { handle, path } = entry;
    return off.has(id) || deactivated.has(handle) || (path !== undefined && deactivated.has(path));
  });
  return new Set(offNow.map(([id]) => id));
}

/** After going back the sets are those of that time, but for what a policy has taken out since. */
export function checkSetsOfThen(then: SessionSets, now: SessionSets): void {
  const known = [...then].map(([id, { handle }]) => `${handle} ${id}`);
  const knownNow = new Set([...now].map(([id, { handle }]) => `${handle} ${id}`));
  assert.deepEqual(
    known.filter((one) => !knownNow.has(one)),
    [],
    "what was known then is known again by its handle",
  );
  assert.deepEqual(idsIn(now, ["pinned"]), idsIn(then, ["pinned"]), "the pinned objects of then");
  const activeThen = new Set(idsIn(then, ["active", "pinned"]));
  assert.deepEqual(
    idsIn(now, ["active", "pinned"]).filter((id) => then.has(id) && !activeThen.has(id)),
    [],
    "what was inactive then is inactive again",
  );
}

function idsIn(sets: SessionSets, states: readonly SetEntry["state"][]): readonly string[] {
  return [...sets]
    .filter(([, { state }]) => states.includes(state))
    .map(([id]) => id)
    .toSorted();
}
