import type { StatePart } from "./state-part.ts";

/** The turns that the user wants to see whole, by their index. The layout folds none of their steps. */
export interface UnfoldedTurns extends StatePart {
  /** In order. */
  readonly turns: readonly number[];
  add(turns: Iterable<number>): void;
  /** Forgets the turns from an index on, because the user went back to before them. */
  cut(index: number): void;
  restore(turns: readonly number[]): void;
}

/** Returns no turns. */
export function unfoldedTurns(): UnfoldedTurns {
  let turns: readonly number[] = [];
  let isChanged = false;
  const set = (next: Iterable<number>): void => {
    turns = [...new Set(next)].toSorted((one, other) => one - other);
    isChanged = true;
  };
  return {
    get turns() {
      return turns;
    },
    get isChanged() {
      return isChanged;
    },
    noteStored() {
      isChanged = false;
    },
    add(more) {
      const added = [...more].filter((turn) => !turns.includes(turn));
      if (added.length > 0) set([...turns, ...added]);
    },
    cut(index) {
      if (turns.some((turn) => turn >= index)) set(turns.filter((turn) => turn < index));
    },
    restore: set,
  };
}
