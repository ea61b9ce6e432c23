import {
  composed,
  isNickname,
  metadataVersion,
  nicknameRule,
  type ObjectBody,
  type ObjectId,
  sharedBody,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";
import type { PoolEntry } from "../view/pool-entry.ts";
import { type NoteAuthor, noteOf, notedBody } from "../render/object-note.ts";
import { commitObjects, joinPool, type SessionScope } from "../state/session-scope.ts";
import { lockedElsewhere, notFound, refusal, type ToolAnswer } from "./answers.ts";
import { resolveTarget, type Target } from "./resolve-target.ts";

/** Returns a whole object for the user. Nothing changes. */
export async function inspectObject(
  scope: SessionScope,
  given: string,
): Promise<StoredVersion | ToolAnswer> {
  const target = await resolveTarget(scope, given);
  if (target.type === "unknown" || target.type === "ambiguous")
    return notFound(scope, given, target);
  const stored = await scope.dependencies.store.get(idOf(target));
  return stored ?? refusal(`${JSON.stringify(given)} is not stored yet.`);
}

/**
 * Sets the nickname of an object; an empty nickname removes it (decision D15). Refuses a nickname that another object
 * has. The session is not stored.
 */
export async function nameObject(
  scope: SessionScope,
  given: string,
  nickname: string,
): Promise<ToolAnswer> {
  const id = await changeable(scope, given, "keeps its name");
  if (typeof id !== "string") return id;
  if (nickname !== "" && !isNickname(nickname)) {
    return refusal(`${JSON.stringify(nickname)} cannot be a nickname: ${nicknameRule}.`);
  }
  const earlier = await scope.dependencies.store.get(id);
  if (earlier === undefined) return refusal(`${JSON.stringify(given)} is not stored yet.`);
  const { nickname: _earlier, ...rest } = earlier.body;
  const body = nickname === "" ? rest : { ...rest, nickname: composed(nickname) };
  try {
    const { handle } = await storeChanged(scope, earlier, body);
    const text =
      nickname === ""
        ? `${handle} has no nickname.`
        : `${handle} is called ${JSON.stringify(nickname)}.`;
    return { ok: true, text, effects: [] };
  } catch (error) {
    if (StoreError.is(error, "NICKNAME_TAKEN")) return refusal(error.message);
    throw error;
  }
}

/**
 * Shares an object with the sessions of all workspaces, or ends that (decision D68): the field `shared`. The session is not
 * stored.
 */
export async function shareObject(
  scope: SessionScope,
  given: string,
  isShared: boolean,
): Promise<ToolAnswer> {
  const id = await changeable(scope, given, "cannot be shared");
  if (typeof id !== "string") return id;
  const earlier = await scope.dependencies.store.get(id);
  if (earlier === undefined) return refusal(`${JSON.stringify(given)} is not stored yet.`);
  const { handle } = await storeChanged(scope, earlier, sharedBody(earlier.body, isShared));
  const text = isShared
    ? `${handle} is shared with all workspaces.`
    : `${handle} is no longer shared.`;
  return { ok: true, text, effects: [] };
}

/**
 * Writes the note of an object, one line that stays with it; an empty text removes it (§6.5). Refuses a note that the
 * object cannot have. The session is not stored.
 */
export async function noteObject(
  scope: SessionScope,
  given: string,
  text: string,
  by: NoteAuthor,
): Promise<ToolAnswer> {
  const id = await changeable(scope, given, "has no note");
  return typeof id === "string" ? await writeNote(scope, id, text, by) : id;
}

/** Writes the note of an object that the session or the store has. */
export async function writeNote(
  scope: SessionScope,
  id: ObjectId,
  text: string,
  by: NoteAuthor,
): Promise<ToolAnswer> {
  const earlier = await scope.dependencies.store.get(id);
  if (earlier === undefined) return refusal(`${id} is not stored yet.`);
  const body = notedBody(earlier, text, by);
  if (typeof body === "string") return refusal(`No note was written: ${body}.`);
  const { handle } = await storeChanged(scope, earlier, body);
  const note = noteOf(body);
  const answer =
    note === undefined
      ? `${handle} has no note.`
      : `${handle} has the note ${JSON.stringify(note)}.`;
  return { ok: true, text: answer, effects: [] };
}

/** Returns the id of an object whose fields can be changed, or a refusal. `kept`: what is true of a locked one. */
async function changeable(
  scope: SessionScope,
  given: string,
  kept: string,
): Promise<ObjectId | ToolAnswer> {
  const target = await resolveTarget(scope, given);
  if (target.type === "unknown" || target.type === "ambiguous")
    return notFound(scope, given, target);
  if (target.type === "locked") return refusal(`${target.name} is locked and ${kept}.`);
  if (target.type === "elsewhere" && target.stored.body.locked) return lockedElsewhere(given);
  return idOf(target);
}

/** Stores a version of an object with other fields. The object joins the pool. */
async function storeChanged(
  scope: SessionScope,
  earlier: StoredVersion,
  body: ObjectBody,
): Promise<PoolEntry> {
  const [stored] = await commitObjects(scope, [{ body, expect: earlier.version }]);
  if (stored === undefined)
    throw new TypeError("the store returned no version of a changed object");
  if (scope.state.active.has(stored.body.id)) scope.contents.set(stored.body.id, stored);
  return joinPool(scope.state, metadataVersion(stored));
}

function idOf(target: Exclude<Target, { type: "unknown" | "ambiguous" }>): ObjectId {
  if (target.type === "known") return target.entry.id;
  return target.type === "locked" ? target.id : target.stored.body.id;
}
