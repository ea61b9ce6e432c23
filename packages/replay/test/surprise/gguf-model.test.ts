import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { openGgufModel } from "../../src/index.ts";

test("sums the probabilities of the answer's tokens, each after the token before it", async () => {
  await using llama = await madeLlama();

  await using model = await openGgufModel({ file: llama.file, folder: llama.folder });
  const result = await model.logLikelihood("ab", "cd");

  // The made model gives a token 1 / (1 + the code of the token before it - 96).
  expect(result.tokens).toBe(2);
  expect(result.nats).toBeCloseTo(Math.log(1 / 3) + Math.log(1 / 4), 12);
});

test("a beginning that two prompts share is computed once", async () => {
  await using llama = await madeLlama();
  await using model = await openGgufModel({ file: llama.file, folder: llama.folder });

  await model.logLikelihood("abcdefgh", "ij");
  const before = await llama.evaluated();
  await model.logLikelihood("abcdexyz", "ij");
  const after = await llama.evaluated();
  await model.logLikelihood("abcdexyz", "kl");

  // The first token is that of the beginning; an answer's last token predicts nothing.
  expect(before).toBe("^abcdefghi");
  expect(after.slice(before.length)).toBe("xyzi");
  expect((await llama.evaluated()).slice(after.length)).toBe("zk");
});

test("a token outside the list of likely ones is looked up in the whole list", async () => {
  await using llama = await madeLlama();
  await using model = await openGgufModel({ file: llama.file, folder: llama.folder });

  const rare = await model.logLikelihood("ab", "Qd");
  const again = await model.logLikelihood("ab", "Qd");

  // In the whole list of the made model a capital letter has the probability 1e-12.
  expect(rare.nats).toBeCloseTo(Math.log(1e-12) + Math.log(1 / (1 + 81 - 64)), 6);
  expect(again).toEqual(rare);
});

test("an answer of many tokens is computed in steps", async () => {
  await using llama = await madeLlama();
  await using model = await openGgufModel({ file: llama.file, folder: llama.folder });

  const { nats, tokens } = await model.logLikelihood("a", "a".repeat(150));

  expect(tokens).toBe(150);
  expect(nats).toBeCloseTo(150 * Math.log(1 / 2), 9);
});

test("a prompt above the window is refused, not shifted", async () => {
  await using llama = await madeLlama();
  await using model = await openGgufModel({ file: llama.file, folder: llama.folder, window: 10 });

  expect(await model.tokens("abc")).toBe(4);
  await model.logLikelihood("abcdefg", "hi");
  await expect(model.logLikelihood("abcdefgh", "ij")).rejects.toMatchObject({
    code: "PROMPT_TOO_LONG",
    message: expect.stringContaining("have 11 tokens, and the window of"),
  });
});

test("without node-llama-cpp the error says what to install, and without the file it names the file", async () => {
  await using llama = await madeLlama();
  await using empty = await temporaryFolder();
  const missing = join(empty.path, "missing.gguf");

  await expect(openGgufModel({ file: llama.file, folder: empty.path })).rejects.toMatchObject({
    code: "MODEL_MISSING",
    message: expect.stringContaining("npm install --prefix FOLDER node-llama-cpp@3.21.1"),
  });
  await expect(openGgufModel({ file: missing, folder: llama.folder })).rejects.toMatchObject({
    code: "MODEL_MISSING",
    message: expect.stringContaining(missing),
  });
});

test("models in files with equal names and different contents have different names", async () => {
  await using one = await madeLlama("one");
  await using other = await madeLlama("two");

  await using first = await openGgufModel({ file: one.file, folder: one.folder });
  await using second = await openGgufModel({ file: other.file, folder: other.folder });

  expect(first.name).toMatch(/^model\.gguf#[0-9a-f]{12}$/u);
  expect(second.name).not.toBe(first.name);
});

/** A folder with a package that has the form of node-llama-cpp and a model of single characters. */
async function madeLlama(content = "model"): Promise<
  AsyncDisposable & {
    readonly folder: string;
    readonly file: string;
    /** All tokens that were computed so far, as text. */
    evaluated(): Promise<string>;
  }
> {
  const { path, ...folder } = await temporaryFolder();
  const packageFolder = join(path, "node_modules", "node-llama-cpp");
  await mkdir(packageFolder, { recursive: true });
  const description = { name: "node-llama-cpp", type: "module", exports: { ".": "./index.js" } };
  await writeFile(join(packageFolder, "package.json"), JSON.stringify(description));
  const log = join(path, "evaluated.txt");
  await writeFile(log, "");
  await writeFile(join(packageFolder, "index.js"), llamaSource(log));
  const file = join(path, "model.gguf");
  await writeFile(file, content);
  return {
    folder: path,
    file,
    evaluated: async () => await readFile(log, "utf8"),
    ...folder,
  };
}

/** Lower-case letters are likely: all have the same probability, by the token before them. Capital letters are rare. */
function llamaSource(log: string): string {
  return `
import { appendFileSync } from "node:fs";
const codes = (text) => [...text].map((one) => one.codePointAt(0));
const capitals = codes("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
const letters = codes("abcdefghijklmnopqrstuvwxyz");
function listAfter(token, options) {
  const likely = 1 / (1 + token - (token > 96 ? 96 : 64));
  const rare = options?.minP > 0 ? [] : capitals.map((one) => [one, 1e-12]);
  return new Map([...letters.map((one) => [one, likely]), ...rare]);
}
function sequenceOf(size) {
  let state = [];
  return {
    get nextTokenIndex() { return state.length; },
    async adaptStateToTokens(tokens, allowShift) {
      if (allowShift) throw new Error("shifted tokens have other values");
      let same = 0;
      while (same < state.length && state[same] === tokens[same]) same += 1;
      state = state.slice(0, same);
    },
    async controlledEvaluate(input) {
      const outputs = [];
      let values = 0;
      for (const item of input) {
        const [token, options] = Array.isArray(item) ? item : [item];
        state.push(token);
        if (state.length > size) throw new Error("shifted");
        appendFileSync(${JSON.stringify(log)}, String.fromCodePoint(token));
        const next = options?.generateNext;
        if (next?.probabilities) values += 1;
        outputs.push(next?.probabilities ? { next: { probabilities: listAfter(token, next.options) } } : undefined);
      }
      if (values > 64) throw new Error("too many values at once");
      return outputs;
    },
  };
}
export async function getLlama() {
  return {
    async loadModel() {
      return {
        trainContextSize: 4096,
        tokens: { bos: 94, shouldPrependBosToken: true },
        tokenize: codes,
        async createContext({ contextSize }) { return { getSequence: () => sequenceOf(contextSize) }; },
      };
    },
    async [Symbol.asyncDispose]() {},
  };
}
`;
}

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "scm-llama-test-"));
  return { path, [Symbol.asyncDispose]: async () => await rm(path, { recursive: true }) };
}
