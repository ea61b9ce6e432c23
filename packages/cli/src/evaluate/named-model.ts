import { defined } from "@self-context-manager/objects";
import type * as evaluate from "@self-context-manager/evaluate";

import { resolve } from "node:path";

import { CliError, UsageError } from "../cli-errors.ts";
import type { CommandCall } from "../command.ts";
import { wholeNumber } from "../whole-number.ts";

type Package = typeof evaluate;

/** The model that the options name. */
export async function namedModel(
  call: CommandCall,
  loaded: Package,
  host: evaluate.EvaluationHost,
): Promise<evaluate.EvaluatedModel> {
  const name = call.text("model");
  if (name === undefined)
    throw new UsageError(
      "--model is missing; name PROVIDER/ID, or forgetful to try an evaluation without a key",
    );
  const url = call.text("url");
  if (url === undefined && (name === "forgetful" || name === "scripted"))
    return loaded.testModel(name);
  const prices = pricesIn(call.text("prices"));
  if (prices === undefined && call.text("budget") !== undefined && url !== undefined)
    throw new UsageError(
      "--prices is missing: a budget needs them, and those of a server are not known; 0,0 if it costs nothing",
    );
  const window = call.text("window") === undefined ? undefined : wholeNumber(call, "window", 0);
  if (url !== undefined) {
    if (window === undefined)
      throw new UsageError("--window is missing: the context window of a server is not known");
    const access = loaded.urlModel({
      url,
      id: name,
      api: apiIn(call.text("api")),
      contextWindow: window,
      ...defined({ key: keyIn(call), prices }),
    });
    return loaded.providerModel(access, call.text("thinking"));
  }
  if (call.text("api") !== undefined)
    throw new UsageError("--api belongs to --url: the API of a known provider is known");
  const cli = host.name === "pi" ? call.text("host-path") : undefined;
  const piFolder = registryFolder(loaded, host, cli && resolve(call.folder, cli));
  const access = await loaded.resolveModel({ name, piFolder, environment: call.environment });
  return loaded.providerModel(
    { ...access, ...defined({ key: keyIn(call), contextWindow: window, prices }) },
    call.text("thinking"),
  );
}

/** The folder of the Pi whose registry names the model. Another host than Pi needs one for that alone. */
function registryFolder(
  loaded: Package,
  host: evaluate.EvaluationHost,
  cli: string | undefined,
): string {
  try {
    return loaded.piInstallation(cli === undefined ? {} : { cli }).folder;
  } catch (cause) {
    if (host.name === "pi") throw cause;
    throw new CliError(
      `without Pi, whose registry names the models of providers, the host ${host.name} needs --url, --api and --key-variable; or install Pi`,
      { cause },
    );
  }
}

function apiIn(given: string | undefined): "openai-completions" | "anthropic-messages" {
  if (given === undefined || given === "openai-completions") return "openai-completions";
  if (given === "anthropic-messages") return given;
  throw new UsageError(
    `--api is ${JSON.stringify(given)}; it must be openai-completions or anthropic-messages`,
  );
}

/** The key of the variable that the options name; undefined if they name none. */
function keyIn(call: CommandCall): string | undefined {
  const variable = call.text("key-variable");
  if (variable === undefined) return undefined;
  const key = call.environment[variable];
  if (key !== undefined && key !== "") return key;
  throw new UsageError(`the environment variable ${variable} has no key; set it, or name another`);
}

function pricesIn(given: string | undefined): evaluate.ModelPrices | undefined {
  if (given === undefined) return undefined;
  const numbers = given.split(",").map(Number);
  const [input, output, cacheRead, cacheWrite] = numbers;
  const isRight = numbers.length >= 2 && numbers.length <= 4 && numbers.every((one) => one >= 0);
  if (!isRight || input === undefined || output === undefined)
    throw new UsageError(
      `--prices is ${JSON.stringify(given)}; it must be dollars per million tokens: input,output, then those of cache reads and cache writes, as in 3,15,0.3,3.75`,
    );
  return { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input };
}
