import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { PromptPiece } from "./llama-prompt.ts";
import type { SmallModel } from "./small-model.ts";

/** The parts of `node-llama-cpp` that are used. Nothing depends on it, so its own types are not available. */
interface LlamaModule {
  getLlama(options: {
    readonly gpu: false;
    readonly build: "never";
    readonly logLevel: "error";
    readonly progressLogs: false;
  }): Promise<Llama>;
}

interface Llama extends AsyncDisposable {
  loadModel(options: { readonly modelPath: string }): Promise<{
    tokenize(text: string, specialTokens?: boolean): readonly number[];
    detokenize(tokens: readonly number[]): string;
    createContext(options: {
      readonly contextSize: number;
      readonly sequences: 1;
      readonly threads: number;
      readonly failedCreationRemedy: false;
    }): Promise<{ getSequence(): Sequence }>;
  }>;
}

interface Sequence {
  readonly nextTokenIndex: number;
  adaptStateToTokens(tokens: readonly number[], allowShift: boolean): Promise<void>;
  evaluate(tokens: readonly number[], options: { readonly temperature: 0 }): AsyncIterable<number>;
}

/** A model that continues a prompt, always in the same way. */
export interface LlamaModel extends AsyncDisposable {
  readonly window: number;
  tokens(pieces: readonly PromptPiece[]): readonly number[];
  /** The number of tokens at the beginning that the model still has from the prompt before. */
  reused(prompt: readonly number[]): Promise<number>;
  /** The whole answer so far after each of its tokens. */
  answer(prompt: readonly number[]): AsyncIterable<string>;
}

/** Loads a model. One thread: two of them wait for each other where other processes run. */
export async function openLlamaModel(
  { file, folder }: SmallModel,
  { window = 8192, threads = 1 }: { readonly window?: number; readonly threads?: number } = {},
): Promise<LlamaModel> {
  const from = createRequire(pathToFileURL(join(folder, "package.json")));
  const path = pathToFileURL(from.resolve("node-llama-cpp"));
  const llamaModule: LlamaModule = await import(path.href);
  const llama = await llamaModule.getLlama({
    gpu: false,
    build: "never",
    logLevel: "error",
    progressLogs: false,
  });
  const model = await llama.loadModel({ modelPath: file });
  const context = await model.createContext({
    contextSize: window,
    sequences: 1,
    threads,
    failedCreationRemedy: false,
  });
  const sequence = context.getSequence();
  // The last token gives the first one of the answer, so it is always computed.
  const reused = async (prompt: readonly number[]): Promise<number> => {
    await sequence.adaptStateToTokens(prompt.slice(0, -1), false);
    return sequence.nextTokenIndex;
  };
  return {
    window,
    tokens: (pieces) => pieces.flatMap(({ text, isMark }) => model.tokenize(text, isMark === true)),
    reused,
    async *answer(prompt) {
      const known = await reused(prompt);
      const tokens: number[] = [];
      for await (const token of sequence.evaluate(prompt.slice(known), { temperature: 0 })) {
        tokens.push(token);
        yield model.detokenize(tokens);
      }
    },
    async [Symbol.asyncDispose]() {
      await llama[Symbol.asyncDispose]();
    },
  };
}
