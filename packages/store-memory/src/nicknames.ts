import { type ObjectId, StoreError, type StoredVersion } from "@self-context-manager/objects";

/** Which object has which nickname. */
export type Nicknames = ReadonlyMap<string, ObjectId>;

/**
 * The nicknames as they stand after a commit of these versions. Throws where two objects would share one, or one
 * object would have another's id.
 */
export function nicknamesAfter(
  nicknames: Nicknames,
  staged: readonly StoredVersion[],
  isKnown: (id: string) => boolean,
): Nicknames {
  const changed = new Set<string>(staged.map(({ body }) => body.id));
  const after = new Map([...nicknames].filter(([, owner]) => !changed.has(owner)));
  for (const { body } of staged) {
    if (body.nickname === undefined) continue;
    const owner = after.get(body.nickname);
    if (owner !== undefined) throw taken(body.nickname, body.id, `object ${owner} has it`);
    after.set(body.nickname, body.id);
  }
  for (const [nickname, owner] of after) {
    if (changed.has(nickname) || isKnown(nickname)) {
      throw taken(nickname, owner, "it is the id of an object");
    }
  }
  return after;
}

function taken(nickname: string, id: ObjectId, why: string): StoreError {
  return new StoreError(
    "NICKNAME_TAKEN",
    `object ${id} cannot have the nickname ${nickname}: ${why}`,
  );
}
