import {
  checkNicknames,
  type ObjectId,
  type RewriteRequest,
  rewrittenVersion,
  type StoredVersion,
} from "@self-context-manager/objects";

/** The versions of a store by their objects and in their order, and the objects by their nicknames. */
export interface Histories {
  readonly histories: Map<ObjectId, StoredVersion[]>;
  readonly arrivals: StoredVersion[];
  readonly nicknames: Map<string, ObjectId>;
}

/** Returns the versions with those that a rewrite makes, and the number of these. The given ones stay as they are. */
export function rewriteHistories(
  { histories, arrivals, nicknames }: Histories,
  { objects, change, remove = [] }: RewriteRequest,
): Histories & { readonly changed: number } {
  const removed = new Set(remove);
  const made = new Map<StoredVersion, StoredVersion>();
  for (const id of objects)
    for (const stored of histories.get(id) ?? []) {
      const rewritten = rewrittenVersion(stored, change);
      if (rewritten !== stored) made.set(stored, rewritten);
    }
  const heads = objects.flatMap((id) => {
    const before = histories.get(id)?.at(-1);
    return before === undefined ? [] : [{ before, after: made.get(before) ?? before }];
  });
  const remains = (id: ObjectId | undefined): id is ObjectId =>
    id !== undefined && !removed.has(id);
  checkNicknames(heads, {
    owner(nickname) {
      const owner = nicknames.get(nickname);
      return remains(owner) ? owner : undefined;
    },
    isObject: (id) => histories.has(id as ObjectId) && remains(id as ObjectId),
  });
  const later = (all: readonly StoredVersion[]): StoredVersion[] =>
    all.map((stored) => made.get(stored) ?? stored);
  const kept = [...histories].filter(([id]) => remains(id));
  const named = kept.flatMap(([id, history]) => {
    const nickname = later(history).at(-1)?.body.nickname;
    return nickname === undefined ? [] : [[nickname, id] as const];
  });
  return {
    histories: new Map(kept.map(([id, history]) => [id, later(history)])),
    arrivals: later(arrivals.filter(({ body }) => remains(body.id))),
    nicknames: new Map(named),
    changed: made.size,
  };
}
