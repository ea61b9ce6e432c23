import { partOfBlock } from "../../calls/user-object.ts";
import { isAfter, type Turn } from "../../chat/turn.ts";
import { withoutEmpty } from "../../render/step-content.ts";
import { leftPart, withoutLeftParts } from "../../render/left-user-parts.ts";
import type { LayoutInput } from "../../view/layout.ts";
import type { UserPart } from "../../view/view-entry.ts";

/** The long parts of a user message that have left the chat: texts that it shows by their ends, and files. */
export type ShortTurn = {
  readonly turn: number;
  /** Texts and files. A record stores them under this name. */
  readonly texts: readonly UserPart[];
};

/**
 * Returns the long parts of user messages that have left the chat. A part is there in the newest user message, and else
 * while its object is active as it arrived. An object that is pinned or was asked for is shown among the active contents,
 * so that it does not leave with an old turn.
 */
export function shortTurns(input: LayoutInput): readonly ShortTurn[] {
  const { turns, pool, active } = input;
  const newest = newestUser(input);
  const last = new Map<string, number>();
  for (const [turn, one] of turns.entries())
    if (isShown(input, turn)) for (const { id } of one.user_objects ?? []) last.set(id, turn);
  const staying = new Set<string>(
    active
      .filter(
        ({ ranges, isPinned, isAsked }) => ranges === undefined && !isPinned && isAsked !== true,
      )
      .map(({ entry }) => entry.id),
  );
  return turns.flatMap(({ user, user_objects: own = [] }, turn): readonly ShortTurn[] => {
    if (turn === newest || user === null) return [];
    const texts = own.flatMap(({ block, id }): readonly UserPart[] => {
      const object = pool.get(id);
      const part = partOfBlock(user, block);
      if (object === undefined || part === undefined) return [];
      // The user can have said the same text, or sent the same file, again.
      if (staying.has(id) && last.get(id) === turn) return [];
      const { handle: of, stored } = object;
      return [{ block, of, version: stored.version, ...leftPart(part) }];
    });
    return texts.length === 0 ? [] : [{ turn, texts }];
  });
}

/** Returns the input in which the chat does not show these parts. */
export function withShortTurns(input: LayoutInput, short: readonly ShortTurn[]): LayoutInput {
  if (short.length === 0) return input;
  const parts = new Map(short.map((one) => [one.turn, one.texts]));
  const turns = input.turns.map((turn, index) => {
    const left = parts.get(index);
    return left === undefined ? turn : shortened(turn, left);
  });
  return { ...input, turns };
}

/**
 * Returns the ids of the objects that are whole in user messages. They are not shown again. `short`: the parts that have
 * left.
 */
export function shownByUser(input: LayoutInput, short: readonly ShortTurn[]): ReadonlySet<string> {
  const cut = new Set(
    short.flatMap(({ turn, texts }) => texts.map(({ block }) => `${turn} ${block}`)),
  );
  const said = input.turns.flatMap(({ user_objects: own = [] }, turn) =>
    isShown(input, turn) ? own.filter(({ block }) => !cut.has(`${turn} ${block}`)) : [],
  );
  return new Set(said.map(({ id }) => id));
}

/** Returns the turn of the newest user message; -1 if a summary replaces it, or if there is none. */
function newestUser(input: LayoutInput): number {
  const newest = input.turns.findLastIndex(({ user }) => says(user));
  return isShown(input, newest) ? newest : -1;
}

/** Whether the chat has the user message of a turn, and no summary replaces it. */
function isShown({ turns, compaction }: LayoutInput, turn: number): boolean {
  if (!says(turns[turn]?.user ?? null)) return false;
  return compaction === undefined || !isAfter(compaction.from, { turn, step: -1 });
}

function says(user: Turn["user"]): boolean {
  return user !== null && withoutEmpty(user).length > 0;
}

function shortened({ user_meta: _meta, ...turn }: Turn, left: readonly UserPart[]): Turn {
  return { ...turn, user: turn.user === null ? null : withoutLeftParts(turn.user, left) };
}
