import { boundedMap } from "@self-context-manager/core/host";

/** Keeps the host's system prompts, which pass a text transform before the first request of a run is assembled. */
export interface SystemPrompts {
  /** A text passes before a request of this run. */
  passes(run: string, text: string): void;
  /** Returns the prompt of a run, and forgets it. */
  take(run: string): string | undefined;
}

/** The number of runs whose prompts are kept. A run that ends before its first request leaves one. */
const mostRuns = 32;

/** Characters from which on a text can be the host's prompt. */
const shortest = 1000;

export function systemPrompts(): SystemPrompts {
  const prompts = boundedMap<string, string>(mostRuns);
  return {
    passes(run, text) {
      if (text.length < shortest || !prompt.test(text)) return;
      prompts.set(run, text);
    },
    take(run) {
      const found = prompts.get(run);
      prompts.delete(run);
      return found;
    },
  };
}

/** How the host's prompt begins, with and without its mark for the provider's cache. */
const prompt = /^(?:<!-- openclaw:[^>]*-->\s*)?You are /u;
