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

/** Nothing becomes active by itself: what was known and is active now was so before, or was named meanwhile. */
export function checkNothingWoke(
  before: SessionSets,
  now: SessionSets,
  named: ReadonlySet<string>,
): void {
  const woken = [...now].filter(([id, { state, handle, path }]) => {
    const was = before.get(id);
    if (state === "inactive" || was === undefined || was.state !== "inactive") return false;
    return !named.has(handle) && !(path !== undefined && named.has(path));
  });
  assert.deepEqual(
    woken.map(([, entry]) => entry),
    [],
    "nothing becomes active by itself",
  );
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
