import type { ContextSession } from "@self-context-manager/core";
import assert from "node:assert/strict";

/** The handle, the type, the path and the state of each object of a session, by the object's id. */
export type SessionSets = ReadonlyMap<string, SetEntry>;

interface SetEntry {
  readonly handle: string;
  readonly type: string;
  readonly path: string | undefined;
  readonly state: "active" | "pinned" | "inactive";
}

export async function setsOf(session: ContextSession): Promise<SessionSets> {
  const { objects } = await session.status();
  return new Map(
    objects.map(({ handle, state, stored }) => {
      const path = stored.body["path"];
      const { id, type } = stored.body;
      return [id, { handle, type, state, path: typeof path === "string" ? path : undefined }];
    }),
  );
}

/** The handles and paths that the model's tool calls have named since the sets were last compared. */
export interface Named {
  /** Named by `activate`, `pin` and `read`. */
  readonly asked: ReadonlySet<string>;
  /** Named by `deactivate`. */
  readonly deactivated: ReadonlySet<string>;
  /** Whether a tool call named a file. A policy may count the objects that concern the file as used. */
  readonly hasFiles: boolean;
  /** Whether the user sent a file. Its object is active again if the user had sent the same file before. */
  readonly isSent: boolean;
}

/**
 * Checks that no object becomes active by itself: a known object that is active now was active before or was
 * requested. Returns the ids of the objects that the model has deactivated and that were not requested since.
 */
export function checkNothingWoke(
  before: SessionSets,
  now: SessionSets,
  off: ReadonlySet<string>,
  { asked, deactivated, hasFiles, isSent }: Named,
): ReadonlySet<string> {
  const isAsked = ({ handle, type, path }: SetEntry): boolean =>
    asked.has(handle) || (path !== undefined && asked.has(path)) || (isSent && type === "user");
  const woken = [...now].filter(([id, entry]) => {
    const was = before.get(id);
    if (entry.state === "inactive" || was === undefined || was.state !== "inactive") return false;
    return !isAsked(entry) && (off.has(id) || !hasFiles);
  });
  assert.deepEqual(
    woken.map(([, entry]) => entry),
    [],
    "no object becomes active by itself",
  );
  const offNow = [...now].filter(([id, entry]) => {
    if (entry.state !== "inactive" || isAsked(entry)) return false;
    const { handle, path } = entry;
    return off.has(id) || deactivated.has(handle) || (path !== undefined && deactivated.has(path));
  });
  return new Set(offNow.map(([id]) => id));
}

/**
 * Checks the sets after the user has gone back: they are those of that time, except for objects that a policy has
 * deactivated since, and for files that the user has sent again.
 */
export function checkRestoredSets(
  then: SessionSets,
  now: SessionSets,
  { isSent }: Pick<Named, "isSent">,
): void {
  const known = [...then].map(([id, { handle }]) => `${handle} ${id}`);
  const knownNow = new Set([...now].map(([id, { handle }]) => `${handle} ${id}`));
  assert.deepEqual(
    known.filter((one) => !knownNow.has(one)),
    [],
    "all objects known at that time are known again by their handles",
  );
  assert.deepEqual(
    idsIn(now, ["pinned"]),
    idsIn(then, ["pinned"]),
    "the objects pinned at that time",
  );
  const activeThen = new Set(idsIn(then, ["active", "pinned"]));
  const mayWake = (id: string): boolean => isSent && then.get(id)?.type === "user";
  assert.deepEqual(
    idsIn(now, ["active", "pinned"]).filter(
      (id) => then.has(id) && !activeThen.has(id) && !mayWake(id),
    ),
    [],
    "objects that were inactive at that time are inactive again",
  );
}

function idsIn(sets: SessionSets, states: readonly SetEntry["state"][]): readonly string[] {
  return [...sets]
    .filter(([, { state }]) => states.includes(state))
    .map(([id]) => id)
    .toSorted();
}
