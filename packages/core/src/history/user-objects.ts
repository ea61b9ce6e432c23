import {
  metadataVersion,
  type ObjectId,
  type ObjectWrite,
  sealObject,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import {
  isSamePart,
  type LongPart,
  longParts,
  partOfBlock,
  userObjectBody,
  usualLongText,
} from "../calls/user-object.ts";
import type { Block } from "../chat/message.ts";
import { isAfter, type Turn, type UserObjectRef } from "../chat/turn.ts";
import { joinPool, type SessionScope } from "../state/session-scope.ts";
import { setActive } from "../state/set-active.ts";

/**
 * Returns the objects of the long parts of a new user message. A text or a file that the chat has already is the same
 * object again.
 */
export function userObjects(
  { state, dependencies }: SessionScope,
  content: string | readonly Block[],
): readonly UserObjectRef[] {
  const { ids, longTexts: over = usualLongText } = dependencies;
  const made: { readonly id: ObjectId; readonly part: Block }[] = [];
  const known = (part: Block): ObjectId | undefined => {
    const isSame = (one: { readonly part: Block }): boolean => isSamePart(one.part, part);
    return (made.find(isSame) ?? placedParts(state.chat.turns).find(isSame))?.id;
  };
  return longParts(content, over).map(({ block, part }) => {
    const id = known(part) ?? ids.next();
    made.push({ id, part });
    return { block, id };
  });
}

/** A long part of a user's message at its place in the chat. */
interface PlacedPart extends LongPart {
  readonly id: ObjectId;
  readonly turn: number;
}

function placedParts(turns: readonly Turn[]): readonly PlacedPart[] {
  return turns.flatMap(({ user, user_objects: own }, turn) =>
    (own ?? []).flatMap(({ block, id }) => {
      const part = partOfBlock(user, block);
      return part === undefined ? [] : [{ id, turn, block, part }];
    }),
  );
}

/** The user objects of the chat that the session does not have yet, for the next commit. */
export interface ArrivingParts {
  /** Adds those of the messages up to a turn to the session, as active objects. */
  arriveUntil(turn: number): void;
  /** Adds the others, and stages the new ones for the session's next commit. */
  stage(): void;
}

/**
 * Returns the user objects of the chat that the session does not have. They are those of new messages, and those that a
 * process did not store before it ended.
 */
export async function arrivingParts(scope: SessionScope): Promise<ArrivingParts> {
  const { state, contents, dependencies } = scope;
  const missing = placedParts(state.chat.turns).filter(({ id }) => !state.pool.has(id));
  const waiting = [...new Map(missing.map((one) => [one.id, one])).values()];
  const found =
    waiting.length === 0 ? [] : await dependencies.store.describe(waiting.map(({ id }) => id));
  const stored = new Map(found.flatMap((one) => (one === undefined ? [] : [[one.body.id, one]])));
  const made: StoredVersion[] = [];
  const writes: ObjectWrite[] = [];
  let next = 0;

  function arrive(one: PlacedPart): void {
    const { id } = joinPool(state, stored.get(one.id) ?? first(one));
    if (isAfter(state.chat.beginning?.from, { turn: one.turn, step: -1 })) return;
    const used = { turn: one.turn, call: state.chat.callsIn(one.turn) };
    setActive(state, id, undefined, { used, isAsked: false });
  }

  function first(one: PlacedPart): StoredMetadata {
    const object = sealObject(userObjectBody(one, state.chat.id));
    const version = { ...object, version: 1, at: unknownPoint };
    made.push(version);
    writes.push({ object, expect: 0 });
    return metadataVersion(version);
  }

  function arriveUntil(turn: number): void {
    for (; next < waiting.length; next += 1) {
      const one = waiting[next];
      if (one === undefined || one.turn > turn) return;
      arrive(one);
    }
  }

  return {
    arriveUntil,
    stage() {
      arriveUntil(Number.POSITIVE_INFINITY);
      for (const version of made)
        if (state.active.has(version.body.id)) contents.set(version.body.id, version);
      if (writes.length === 0) return;
      scope.staged.push({
        writes: () => writes,
        settle: (versions) => {
          for (const version of versions) {
            state.pool.settle(metadataVersion(version));
            if (state.active.has(version.body.id)) contents.set(version.body.id, version);
            state.chat.nameUserObject(metadataVersion(version));
          }
        },
      });
    },
  };
}

/** The version point of a version without a transaction. */
const unknownPoint = { tx_id: 0, tx_time: "" };
