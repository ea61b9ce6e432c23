import { sha256 } from "@self-context-manager/objects";

/** Choices that are the same for the same seed and name. */
export interface Seeded {
  /** A whole number, both limits included. */
  integer(least: number, most: number): number;
  pick<Item>(list: readonly Item[]): Item;
  /** The items in another order. */
  shuffle<Item>(list: readonly Item[]): readonly Item[];
  /** A made-up word of lower-case letters. No word of one generator contains another one. */
  word(): string;
}

/**
 * A generator for one purpose. Generators with different names are independent, so a new choice in one of them changes
 * nothing in the others.
 */
export function seeded(seed: number, name: string): Seeded {
  const next = sequence(sha256(`${String(seed)}:${name}`));
  const words: string[] = [];
  const integer = (least: number, most: number): number =>
    least + Math.floor(next() * (most - least + 1));
  const pick = <Item>(list: readonly Item[]): Item => {
    const item = list[integer(0, list.length - 1)];
    if (item === undefined) throw new RangeError("nothing to pick from: the list is empty");
    return item;
  };
  return {
    integer,
    pick,
    shuffle: (list) => {
      const keyed = list.map((item) => ({ item, key: next() }));
      return keyed.toSorted((one, other) => one.key - other.key).map(({ item }) => item);
    },
    word: () => {
      for (;;) {
        const parts = [pick(starts), pick(vowels), pick(middles), pick(vowels), pick(ends)];
        const word = parts.join("");
        if (words.some((used) => used.includes(word) || word.includes(used))) continue;
        words.push(word);
        return word;
      }
    },
  };
}

// Together they give 25,000 words, and hardly one of them is a word of English.
const starts = "b br d dr f g gr k kl m n p pl qu r s sk t tr v z".split(" ");
const vowels = "a e i o u".split(" ");
const middles = "b dr lv lm mb nd rv rn sk st v z zm".split(" ");
const ends = "l n x rk m nd t".split(" ");

/** Numbers from 0 up to 1 by the generator mulberry32, which is small and even enough for choices. */
function sequence(hash: string): () => number {
  let state = Number.parseInt(hash.slice(0, 8), 16);
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
