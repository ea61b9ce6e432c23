import type { SurpriseModel } from "../../src/index.ts";

/** A model that counts, with the prompts that it was given. */
export interface CountingModel extends SurpriseModel {
  readonly prompts: readonly string[];
}

/**
 * A model whose probability of a word is its share of the prompt's words, with one more of each: a word that the prompt
 * contains is less surprising, and every value can be calculated by hand.
 */
export function countingModel(
  options: { readonly name?: string; readonly window?: number } = {},
): CountingModel {
  const { name = "counting", window = 100_000 } = options;
  const prompts: string[] = [];
  return {
    name,
    window,
    prompts,
    tokens: async (text) => await Promise.resolve(wordsIn(text).length),
    async logLikelihood(prompt, answer) {
      prompts.push(prompt);
      return await Promise.resolve(countedLikelihood(prompt, answer));
    },
    async [Symbol.asyncDispose]() {
      await Promise.resolve();
    },
  };
}

/** The words that any text may have: the model's vocabulary. */
const vocabulary = 10_000;

export function countedLikelihood(
  prompt: string,
  answer: string,
): { readonly nats: number; readonly tokens: number } {
  const counts = new Map<string, number>();
  const before = wordsIn(prompt);
  for (const word of before) counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = wordsIn(answer);
  const nats = words.reduce(
    (sum, word) => sum + Math.log(((counts.get(word) ?? 0) + 1) / (before.length + vocabulary)),
    0,
  );
  return { nats, tokens: words.length };
}

function wordsIn(text: string): readonly string[] {
  return text.match(/\w+/gu) ?? [];
}
