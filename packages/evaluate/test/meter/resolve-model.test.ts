import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";

import { resolveModel, urlModel } from "../../src/meter/resolve-model.ts";

const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const tier = { input: 6, output: 30, cacheRead: 0.6, cacheWrite: 7.5, inputTokensAbove: 200_000 };
const model = {
  provider: "anthropic",
  id: "claude-sonnet-4-5",
  api: "anthropic-messages",
  baseUrl: "https://api.anthropic.com",
  cost,
  contextWindow: 200_000,
  maxTokens: 64_000,
  reasoning: true,
};
const models = [
  model,
  { ...model, id: "claude-tiered", cost: { ...cost, tiers: [tier] } },
  { ...model, id: "free", cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
  { ...model, provider: "bedrock", id: "anthropic.claude-sonnet-4-5", api: "bedrock-converse" },
];

/** The parts of Pi since 0.87 that are used. A runtime reads the variables of `env`, as Pi does. */
const runtimeSdk = `
const models = ${JSON.stringify(models)};
export class ModelRuntime {
  static async create() {
    return {
      getModels: () => models,
      getAuth: async (model, { env }) => {
        const key = env.TEST_KEY;
        return key ? { auth: { apiKey: key, baseUrl: env.TEST_URL } } : undefined;
      },
    };
  }
}`;

/** The parts of Pi before 0.87 that are used. */
const registrySdk = `
import { writeFileSync } from "node:fs";
export class AuthStorage {
  static create(path) {
    writeFileSync(path, "{}");
    return { getApiKey: async () => process.env.TEST_KEY };
  }
}
export class ModelRegistry {
  static create() {
    return { getAll: () => ${JSON.stringify(models)}, getApiKeyForProvider: async () => undefined };
  }
}`;

async function piFolder(
  entry: string,
  code: string,
): Promise<AsyncDisposable & { readonly piFolder: string; readonly agentFolder: string }> {
  const root = await mkdtemp(join(tmpdir(), "scm-resolve-"));
  const file = join(root, "pi", entry);
  await mkdir(join(file, ".."), { recursive: true });
  await mkdir(join(root, "agent"));
  await writeFile(join(root, "pi", "package.json"), '{"type":"module"}');
  await writeFile(file, code);
  return {
    piFolder: join(root, "pi"),
    agentFolder: join(root, "agent"),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}

describe("a model of Pi's registry", () => {
  it("is found by its name, with the key of the environment", async () => {
    await using pi = await piFolder("dist/bundle/index.js", runtimeSdk);
    const environment = { TEST_KEY: "key-1" };

    const access = await resolveModel({ ...pi, environment, name: "anthropic/claude-sonnet-4-5" });

    expect(access).toEqual({
      provider: "anthropic",
      id: "claude-sonnet-4-5",
      api: "anthropic-messages",
      url: "https://api.anthropic.com",
      key: "key-1",
      contextWindow: 200_000,
      maxTokens: 64_000,
      isReasoning: true,
      prices: cost,
    });
  });

  it("has the URL that goes with the key, and the prices of longer requests", async () => {
    await using pi = await piFolder("dist/index.js", runtimeSdk);
    const environment = { TEST_KEY: "key-1", TEST_URL: "https://other.example" };

    const access = await resolveModel({ ...pi, environment, name: "anthropic/claude-tiered" });

    expect(access).toMatchObject({
      url: "https://other.example",
      prices: { ...cost, tiers: [tier] },
    });
  });

  it("has no prices if Pi knows none", async () => {
    await using pi = await piFolder("dist/index.js", runtimeSdk);

    const access = await resolveModel({
      ...pi,
      environment: { TEST_KEY: "k" },
      name: "anthropic/free",
    });

    expect(access).not.toHaveProperty("prices");
  });

  it("is found in releases before 0.87, and nothing is written into the user's folder", async () => {
    await using pi = await piFolder("dist/index.js", registrySdk);
    vi.stubEnv("TEST_KEY", "key-2");

    const access = await resolveModel({
      ...pi,
      environment: {},
      name: "anthropic/claude-sonnet-4-5",
    });
    vi.unstubAllEnvs();

    expect(access.key).toBe("key-2");
    expect(await readdir(pi.agentFolder)).toEqual([]);
  });

  it.each([
    [
      "that is unknown names similar ones",
      "anthropic/claude-sonet-4-5",
      /Similar names: anthropic\/claude-sonnet-4-5/u,
    ],
    ["that is like no other says what names look like", "xx", /provider\/id/u],
    [
      "of another protocol names similar ones that can be used",
      "bedrock/anthropic.claude-sonnet-4-5",
      /bedrock-converse.*Similar names: anthropic\/claude-sonnet-4-5/u,
    ],
    ["without a key names the variables", "anthropic/claude-sonnet-4-5", /TEST_KEY/u],
  ])("%s", async (_, name, message) => {
    await using pi = await piFolder("dist/index.js", runtimeSdk);

    await expect(resolveModel({ ...pi, environment: {}, name })).rejects.toThrow(
      expect.objectContaining({ code: "EVALUATE_MODEL", message: expect.stringMatching(message) }),
    );
  });

  it.each([
    ["without Pi", "other.js", "", /no Pi/u],
    ["with a Pi that cannot be loaded", "dist/index.js", "throw new Error('broken')", /broken/u],
    ["with another Pi", "dist/index.js", "export const other = 1", /not supported/u],
  ])("is refused in a folder %s", async (_, entry, code, message) => {
    await using pi = await piFolder(entry, code);

    await expect(resolveModel({ ...pi, environment: {}, name: "a/b" })).rejects.toThrow(
      expect.objectContaining({ code: "EVALUATE_MODEL", message: expect.stringMatching(message) }),
    );
  });
});

describe("a model of a server", () => {
  const server = {
    url: "http://127.0.0.1:8080/v1",
    api: "openai-completions",
    id: "gemma",
  } as const;

  it("needs its URL, protocol, name and context window", () => {
    expect(urlModel({ ...server, contextWindow: 8_000 })).toEqual({
      ...server,
      provider: "url",
      key: "",
      contextWindow: 8_000,
      maxTokens: 2_000,
      isReasoning: false,
    });
  });

  it("is refused without http", () => {
    expect(() => urlModel({ ...server, url: "127.0.0.1:8080", contextWindow: 8_000 })).toThrow(
      expect.objectContaining({ code: "EVALUATE_MODEL" }),
    );
  });
});
