import { textOfBlock } from "../../calls/user-object.ts";
import { isAfter, type Turn } from "../../chat/turn.ts";
import { withoutEmpty } from "../../render/step-content.ts";
import { endsOfUserText, withoutLongTexts } from "../../render/user-object-ends.ts";
import type { LayoutInput } from "../../view/layout.ts";
import type { UserText } from "../../view/view-entry.ts";

/** The long texts of a user message that the chat shows by their ends. */
export type ShortTurn = { readonly turn: number; readonly texts: readonly UserText[] };

/**
 * Returns the long texts that the chat shows by their ends. A text is whole in the newest user message, and else while its
 * object is active as it arrived. An object that is pinned or was asked for is shown among the active contents, so that
 * it does not leave with an old turn.
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
    const texts = own.flatMap(({ block, id }): readonly UserText[] => {
      const object = pool.get(id);
      const text = textOfBlock(user, block);
      if (object === undefined || text === undefined) return [];
      // The user can have said the same text again.
      if (staying.has(id) && last.get(id) === turn) return [];
      const { handle: of, stored } = object;
      return [{ block, of, version: stored.version, ...endsOfUserText(text) }];
    });
    return texts.length === 0 ? [] : [{ turn, texts }];
  });
}

/** Returns the input in which the chat shows these texts by their ends. */
export function withShortTurns(input: LayoutInput, short: readonly ShortTurn[]): LayoutInput {
  if (short.length === 0) return input;
  const texts = new Map(short.map((one) => [one.turn, one.texts]));
  const turns = input.turns.map((turn, index) => {
    const left = texts.get(index);
    return left === undefined ? turn : shortened(turn, left);
  });
  return { ...input, turns };
}

/**
 * Returns the ids of the objects whose texts are whole in user messages. They are not shown again. `short`: the texts that
 * are shown by their ends.
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

function shortened({ user_meta: _meta, ...turn }: Turn, texts: readonly UserText[]): Turn {
  return { ...turn, user: turn.user === null ? null : withoutLongTexts(turn.user, texts) };
}
