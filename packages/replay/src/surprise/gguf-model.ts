import { messageOf } from "@self-context-manager/objects";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

import { SurpriseError, type SurpriseModel } from "./surprise-model.ts";

export interface GgufModelOptions {
  /** The GGUF file. */
  readonly file: string;
  /** A folder in which `node-llama-cpp` is installed; default: where this package is. */
  readonly folder?: string;
  /** The most tokens of a prompt and its answer; default: the model's own window. More need more memory. */
  readonly window?: number;
  /** Threads of the model; default: the number of cores. On a busy machine 1 is faster: the threads wait for each other. */
  readonly threads?: number;
}

/** The parts of `node-llama-cpp` that are used. It is no dependency, so its own types are not available. */
interface LlamaModule {
  getLlama(options: {
    readonly gpu: false;
    readonly build: "never";
    readonly logLevel: "error";
    readonly progressLogs: false;
  }): Promise<Llama>;
}

interface Llama extends AsyncDisposable {
  loadModel(options: { readonly modelPath: string }): Promise<LlamaModel>;
}

interface LlamaModel extends AsyncDisposable {
  readonly trainContextSize: number;
  readonly tokens: { readonly bos: number | null; readonly shouldPrependBosToken: boolean };
  tokenize(text: string): readonly number[];
  createContext(options: {
    readonly contextSize: number;
    readonly sequences: 1;
    readonly swaFullCache: true;
    readonly threads?: number;
    readonly failedCreationRemedy: false;
  }): Promise<{ getSequence(): LlamaSequence }>;
}

interface LlamaSequence {
  readonly nextTokenIndex: number;
  adaptStateToTokens(tokens: readonly number[], allowShift: boolean): Promise<void>;
  controlledEvaluate(
    input: readonly LlamaInput[],
  ): Promise<
    readonly (
      | { readonly next: { readonly probabilities?: ReadonlyMap<number, number> } }
      | undefined
    )[]
  >;
}

type LlamaInput =
  | number
  | readonly [
      token: number,
      options: { readonly generateNext: typeof likelyTokens | typeof allTokens },
    ];

/**
 * The list of probabilities without tokens below 1e-8 of the most probable one. Sorting and copying a whole vocabulary
 * takes longer than the model does for a token; what is left out has at most 0.3 % of the probability.
 */
const likelyTokens = {
  probabilities: true,
  options: { temperature: 1, topK: 0, topP: 1, minP: 1e-8, seed: 1 },
} as const;
const allTokens = { probabilities: true } as const;

/** The model keeps the whole vocabulary's values for each token of a step, so a step has few tokens. */
const tokensAtOnce = 64;

/** The smallest probability that counts: a smaller one is 0 in the model's own numbers, and its logarithm has no end. */
const leastProbability = 1e-38;

/**
 * A model in a GGUF file, run on the processor by `node-llama-cpp`. What a prompt has in common with the prompt before it
 * is not computed again. Rejects with a `SurpriseError` if the package or the file is missing.
 */
export async function openGgufModel({
  file,
  folder,
  window,
  threads,
}: GgufModelOptions): Promise<SurpriseModel> {
  const llamaModule = await loadLlama(folder);
  const name = await modelName(file);
  const llama = await llamaModule.getLlama({
    gpu: false,
    build: "never",
    logLevel: "error",
    progressLogs: false,
  });
  let sequence: LlamaSequence;
  let model: LlamaModel;
  let size: number;
  try {
    model = await llama.loadModel({ modelPath: file });
    size = Math.min(window ?? model.trainContextSize, model.trainContextSize);
    const context = await model.createContext({
      contextSize: size,
      sequences: 1,
      // Without the whole cache of sliding windows, a model like Gemma 3 computes each prompt from its beginning.
      swaFullCache: true,
      failedCreationRemedy: false,
      ...(threads === undefined ? {} : { threads }),
    });
    sequence = context.getSequence();
  } catch (cause) {
    await llama[Symbol.asyncDispose]();
    throw new SurpriseError(
      "MODEL_UNUSABLE",
      `${file} cannot be used as a model (${messageOf(cause)}); name a GGUF file, or a smaller window`,
      { cause },
    );
  }
  const { bos, shouldPrependBosToken } = model.tokens;
  const first = shouldPrependBosToken && bos !== null ? [bos] : [];
  return {
    name,
    window: size,
    tokens: async (text) => await Promise.resolve(first.length + model.tokenize(text).length),
    async logLikelihood(prompt, answer) {
      const before = [...first, ...model.tokenize(prompt)];
      const tokens = model.tokenize(answer);
      const length = before.length + tokens.length;
      if (length > size)
        throw new SurpriseError(
          "PROMPT_TOO_LONG",
          `the prompt and its answer have ${length} tokens, and the window of ${name} has ${size}`,
        );
      return { nats: await natsOf(sequence, before, tokens), tokens: tokens.length };
    },
    async [Symbol.asyncDispose]() {
      await llama[Symbol.asyncDispose]();
    },
  };
}

async function natsOf(
  sequence: LlamaSequence,
  prompt: readonly number[],
  answer: readonly number[],
): Promise<number> {
  // The last token of the prompt gives the probabilities of the answer's first one, so it is computed each time.
  const start = prompt.length - 1;
  const inputs = [...prompt.slice(start), ...answer.slice(0, -1)];
  await sequence.adaptStateToTokens(prompt.slice(0, start), false);
  const known = sequence.nextTokenIndex;
  if (known < start) await sequence.controlledEvaluate(prompt.slice(known, start));
  let nats = 0;
  for (let at = 0; at < answer.length; at += tokensAtOnce) {
    const wanted = answer.slice(at, at + tokensAtOnce);
    const given = inputs.slice(at, at + wanted.length);
    const likely = await probabilities(sequence, given, wanted, () => likelyTokens);
    // The few tokens that are not in the short list are looked up in the whole one.
    const found = likely.some((one) => one === undefined)
      ? await again(
          sequence,
          [...prompt.slice(0, start), ...inputs.slice(0, at)],
          given,
          wanted,
          likely,
        )
      : likely;
    for (const one of found) nats += Math.log(Math.max(one ?? 0, leastProbability));
  }
  return nats;
}

async function again(
  sequence: LlamaSequence,
  before: readonly number[],
  given: readonly number[],
  wanted: readonly number[],
  likely: readonly (number | undefined)[],
): Promise<readonly (number | undefined)[]> {
  await sequence.adaptStateToTokens(before, false);
  const rest = before.slice(sequence.nextTokenIndex);
  if (rest.length > 0) await sequence.controlledEvaluate(rest);
  const all = await probabilities(sequence, given, wanted, (at) =>
    likely[at] === undefined ? allTokens : undefined,
  );
  return likely.map((one, at) => one ?? all[at]);
}

/** The probability of each wanted token after the given one. */
async function probabilities(
  sequence: LlamaSequence,
  given: readonly number[],
  wanted: readonly number[],
  listOf: (at: number) => typeof likelyTokens | typeof allTokens | undefined,
): Promise<readonly (number | undefined)[]> {
  const outputs = await sequence.controlledEvaluate(
    given.map((token, at): LlamaInput => {
      const generateNext = listOf(at);
      return generateNext === undefined ? token : [token, { generateNext }];
    }),
  );
  return wanted.map((token, at) => outputs[at]?.next.probabilities?.get(token));
}

async function loadLlama(folder: string | undefined): Promise<LlamaModule> {
  const from = folder === undefined ? import.meta.url : pathToFileURL(join(folder, "package.json"));
  try {
    const path = createRequire(from).resolve("node-llama-cpp");
    const module: LlamaModule = await import(pathToFileURL(path).href);
    return module;
  } catch (cause) {
    const place = folder === undefined ? "beside this package" : `in ${folder}`;
    throw new SurpriseError(
      "MODEL_MISSING",
      `a GGUF file needs the package node-llama-cpp, which cannot be loaded ${place} (${messageOf(cause).split("\n", 1)[0]}); install it into a folder and name the folder: npm install --prefix FOLDER node-llama-cpp@3.21.1`,
      { cause },
    );
  }
}

/** The file's name with the beginning of its hash, because files with different quantizations have equal names. */
async function modelName(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    const hash = createHash("sha256").update(String(size));
    // The metadata and the first tensors differ between models; reading all of a large file takes a minute.
    for await (const chunk of createReadStream(file, { end: (1 << 24) - 1 })) hash.update(chunk);
    return `${basename(file)}#${hash.digest("hex").slice(0, 12)}`;
  } catch (cause) {
    throw new SurpriseError(
      "MODEL_MISSING",
      `${file} cannot be read (${messageOf(cause)}); name a GGUF file`,
      { cause },
    );
  }
}
