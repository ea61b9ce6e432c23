import { StoreError } from "../errors.ts";
import type { ObjectId } from "../model/object-id.ts";
import type { ObjectBody } from "../model/object-body.ts";

/** The names in the latest version of an object before and after a transaction. */
export interface ObjectChange {
  readonly before: NamedVersion | undefined;
  readonly after: NamedVersion;
}

interface NamedVersion {
  readonly body: Pick<ObjectBody, "id" | "nickname">;
}

/** The nicknames and ids that a store has before a transaction; those of the changed objects may be among them. */
export interface KnownNames {
  owner(nickname: string): ObjectId | undefined;
  isObject(id: string): boolean;
}

/**
 * Checks the nicknames that a transaction leaves. Objects may exchange nicknames within one. Throws `NICKNAME_TAKEN`
 * where two objects would have the same nickname, or one object would have another's id as its nickname.
 */
export function checkNicknames(changes: readonly ObjectChange[], known: KnownNames): void {
  const changed = new Set<string>(changes.map(({ after }) => after.body.id));
  const claimed = claimedNicknames(changes);
  for (const { before, after } of changes) {
    const { id, nickname } = after.body;
    if (nickname === undefined || nickname === before?.body.nickname) continue;
    const owner = known.owner(nickname);
    if (owner !== undefined && !changed.has(owner)) {
      throw nicknameTaken(nickname, id, `object ${owner} has it`);
    }
    if (changed.has(nickname) || known.isObject(nickname)) {
      throw nicknameTaken(nickname, id, "it is the id of an object");
    }
  }
  for (const { before, after } of changes) {
    if (before !== undefined) continue;
    const { id } = after.body;
    const owner = claimed.get(id) ?? known.owner(id);
    if (owner !== undefined && (claimed.has(id) || !changed.has(owner))) {
      throw nicknameTaken(id, owner, "it is the id of an object");
    }
  }
}

/** The changed objects by the nicknames that they have afterwards. */
function claimedNicknames(changes: readonly ObjectChange[]): ReadonlyMap<string, ObjectId> {
  const claimed = new Map<string, ObjectId>();
  for (const { after } of changes) {
    const { id, nickname } = after.body;
    if (nickname === undefined) continue;
    const rival = claimed.get(nickname);
    if (rival !== undefined) throw nicknameTaken(nickname, id, `object ${rival} has it`);
    claimed.set(nickname, id);
  }
  return claimed;
}

function nicknameTaken(nickname: string, id: ObjectId, reason: string): StoreError {
  return new StoreError(
    "NICKNAME_TAKEN",
    `object ${id} cannot have the nickname ${nickname}: ${reason}`,
  );
}
