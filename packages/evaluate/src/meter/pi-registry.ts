import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { fieldsOf, messageOf } from "@self-context-manager/objects";

import { EvaluateError } from "../model/evaluate-error.ts";

/** The models of an installed Pi. */
export interface PiRegistry {
  /** Every model of a text protocol, as Pi has it. */
  readonly models: readonly unknown[];
  /** Finds the key of a model, and the names of the environment variables that were looked at, as far as Pi shows them. */
  keyFor(model: unknown): Promise<PiKey>;
}

interface PiKey {
  readonly key: string | undefined;
  /** A base URL that goes with the key. */
  readonly url?: string;
  readonly variables: readonly string[];
}

export interface PiRegistryOptions {
  /** The folder of Pi's package. */
  readonly piFolder: string;
  /** The folder of the user's models and keys. */
  readonly agentFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The SDK since Pi 0.87. */
interface RuntimeSdk {
  readonly ModelRuntime: {
    create(options: Readonly<Record<string, unknown>>): Promise<{
      getModels(): readonly unknown[];
      getAuth(model: unknown, options: object): Promise<unknown>;
    }>;
  };
}

/** The SDK before Pi 0.87. */
interface RegistrySdk {
  readonly AuthStorage: {
    create(path: string): { getApiKey(provider: unknown): Promise<string | undefined> };
  };
  readonly ModelRegistry: {
    create(
      auth: object,
      modelsPath: string,
    ): {
      getAll(): readonly unknown[];
      getApiKeyForProvider(provider: unknown): Promise<string | undefined>;
    };
  };
}

/** From a release on, the entry without a bundle needs packages that are not installed everywhere. */
const entries = ["dist/bundle/index.js", "dist/index.js"];

/** Reads the registry of an installed Pi, with the user's own models. Throws `EvaluateError` with `EVALUATE_MODEL`. */
export async function withPiRegistry<Value>(
  options: PiRegistryOptions,
  use: (registry: PiRegistry) => Promise<Value>,
): Promise<Value> {
  const sdk = await loadSdk(options.piFolder);
  // Pi writes a file of keys if there is none. Nothing is written into a folder of the user.
  const isUsed = existsSync(join(options.agentFolder, "auth.json"));
  const temporary = await mkdtemp(join(tmpdir(), "scm-pi-registry-"));
  const keyFolder = isUsed ? options.agentFolder : temporary;
  try {
    return await use(await openRegistry(sdk, options, keyFolder));
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function loadSdk(piFolder: string): Promise<unknown> {
  const entry = entries.map((path) => join(piFolder, path)).find((path) => existsSync(path));
  if (entry === undefined)
    throw new EvaluateError("EVALUATE_MODEL", `There is no Pi in ${piFolder}. Install it first.`);
  try {
    return await import(pathToFileURL(entry).href);
  } catch (error) {
    throw new EvaluateError(
      "EVALUATE_MODEL",
      `The registry of Pi in ${piFolder} cannot be loaded: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

async function openRegistry(
  sdk: unknown,
  { piFolder, agentFolder, environment }: PiRegistryOptions,
  keyFolder: string,
): Promise<PiRegistry> {
  const authPath = join(keyFolder, "auth.json");
  const modelsPath = join(agentFolder, "models.json");
  if (isRuntimeSdk(sdk)) {
    const runtime = await sdk.ModelRuntime.create({
      authPath,
      modelsPath,
      modelsStorePath: join(keyFolder, "models-store.json"),
      refreshOnCreate: false,
    });
    return {
      models: runtime.getModels(),
      keyFor: async (model) => {
        const { env, variables } = watched(environment);
        const auth = fieldsOf(fieldsOf(await runtime.getAuth(model, { env }))["auth"]);
        const url = auth["baseUrl"];
        const key = auth["apiKey"];
        return {
          key: typeof key === "string" ? key : undefined,
          ...(typeof url === "string" ? { url } : {}),
          variables,
        };
      },
    };
  }
  if (isRegistrySdk(sdk)) {
    const storage = sdk.AuthStorage.create(authPath);
    const registry = sdk.ModelRegistry.create(storage, modelsPath);
    return {
      models: registry.getAll(),
      keyFor: async (model) => {
        const { provider } = fieldsOf(model);
        // These releases read the variables of this process, whatever `environment` has.
        const key =
          (await registry.getApiKeyForProvider(provider)) ?? (await storage.getApiKey(provider));
        return { key, variables: [] };
      },
    };
  }
  throw new EvaluateError("EVALUATE_MODEL", `The release of Pi in ${piFolder} is not supported.`);
}

/** Returns an environment that remembers the names that were asked for. */
function watched(environment: PiRegistryOptions["environment"]): {
  readonly env: object;
  readonly variables: readonly string[];
} {
  const variables: string[] = [];
  const env = new Proxy(environment, {
    get: (target, name) => {
      if (typeof name !== "string") return undefined;
      variables.push(name);
      return target[name];
    },
  });
  return { env, variables };
}

function isRuntimeSdk(sdk: unknown): sdk is RuntimeSdk {
  return hasFunction(sdk, "ModelRuntime", "create");
}

function isRegistrySdk(sdk: unknown): sdk is RegistrySdk {
  return hasFunction(sdk, "AuthStorage", "create") && hasFunction(sdk, "ModelRegistry", "create");
}

/** Whether a module exports a class with a static function. */
function hasFunction(sdk: unknown, name: string, method: string): boolean {
  const exported: unknown =
    typeof sdk === "object" && sdk !== null ? Reflect.get(sdk, name) : undefined;
  return typeof exported === "function" && typeof Reflect.get(exported, method) === "function";
}
