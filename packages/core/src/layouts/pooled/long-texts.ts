import { textOfBlock } from "../../calls/user-object.ts";
import { isAfter, type Turn } from "../../chat/turn.ts";
import { withoutEmpty } from "../../render/step-content.ts";
import { endsOfUserText, withoutLongTexts } from "../../render/user-object-ends.ts";
import type { LayoutInput } from "../../view/layout.ts";
import type { UserText } from "../../view/view-entry.ts";

/** The long texts of a user message that the chat shows by their ends. */
export type ShortTurn = { readonly turn: number; readonly texts: readonly UserText[] };

/**
 * Returns the long texts that the chat shows by their ends: those of all user messages except the newest. Their whole
 * texts are objects, which are shown like all others.
 */
export function shortTurns(input: LayoutInput): readonly ShortTurn[] {
  const { turns, pool } = input;
  const newest = newestUser(input);
  return turns.flatMap(({ user, user_objects: own = [] }, turn): readonly ShortTurn[] => {
    if (turn === newest || user === null) return [];
    const texts = own.flatMap(({ block, id }): readonly UserText[] => {
      const object = pool.get(id);
      const text = textOfBlock(user, block);
      if (object === undefined || text === undefined) return [];
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

/** Returns the ids of the objects whose texts the newest user message has. They are not shown again. */
export function shownByUser(input: LayoutInput): ReadonlySet<string> {
  const own = input.turns[newestUser(input)]?.user_objects ?? [];
  return new Set(own.map(({ id }) => id));
}

/** Returns the turn of the newest user message; -1 if a summary replaces it, or if there is none. */
function newestUser({ turns, compaction }: LayoutInput): number {
  const newest = turns.findLastIndex(({ user }) => user !== null && withoutEmpty(user).length > 0);
  const isReplaced =
    compaction !== undefined && isAfter(compaction.from, { turn: newest, step: -1 });
  return isReplaced ? -1 : newest;
}

function shortened({ user_meta: _meta, ...turn }: Turn, texts: readonly UserText[]): Turn {
  return { ...turn, user: turn.user === null ? null : withoutLongTexts(turn.user, texts) };
}
