import { isJsonList, isJsonObject, type JsonObject } from "@self-context-manager/objects";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import type { Arm } from "../model/arm.ts";
import type { EvaluationHost, HostAnswer, HostOptions, HostSession } from "../model/host.ts";
import { hostError } from "./host-error.ts";
import { adapterFolder, installedExtension } from "./pi-extension.ts";
import { writePiHome } from "./pi-home.ts";
import { type PiInstallation, piInstallation } from "./pi-installation.ts";
import { openPiRpc, type PiRpc } from "./pi-rpc.ts";
import { writeRefusingExtension } from "./refused-tools.ts";

export interface PiHostOptions {
  /** Pi's package folder, script or program. Default: `pi` in the search path, then an installed package. */
  readonly cli?: string;
  /** The package folder of the adapter, or its file. Default: the installed `@self-context-manager/adapter-pi`. */
  readonly extension?: string;
  /** The thinking level of a reasoning model: `off`, `minimal`, `low`, `medium` (default), `high`, `xhigh`. */
  readonly thinking?: string;
  /** The Node that runs Pi. Default: the one of this process. */
  readonly node?: string;
}

/** How long Pi may take from its start until its first response. */
const startMs = 120_000;

/** How long Pi has to end an aborted turn by itself. */
const abortMs = 5_000;

/** Pi without a terminal, as `pi --mode rpc`. Throws `EvaluateError` with `EVALUATE_HOST` if Pi is not there. */
export function openPiHost(options: PiHostOptions = {}): EvaluationHost {
  const pi = piInstallation(options);
  return {
    name: "pi",
    version: pi.version,
    open: async (given) => session(await startedPi(pi, options, given)),
  };
}

/**
 * Starts Pi with the model as its own data have it, if the provider is one that Pi knows, and otherwise with the facts of
 * the access alone.
 */
async function startedPi(
  pi: PiInstallation,
  options: PiHostOptions,
  given: HostOptions,
): Promise<PiRpc> {
  const extensions = await extensionsOf(pi, options, given);
  const start = async (isKnown: boolean): Promise<PiRpc> =>
    await launched(pi, options, given, extensions, isKnown);
  if (given.access.provider === "url") return await start(false);
  try {
    return await start(true);
  } catch (error) {
    // A model that this release does not know. If that is not the reason, the second start fails too.
    return await start(false).catch(() => {
      throw error;
    });
  }
}

/** The tool without which the adapter sends the plain messages, so it is never left out of the list. */
const neededTool = "activate";

async function extensionsOf(
  pi: PiInstallation,
  options: PiHostOptions,
  { arm, home }: HostOptions,
): Promise<readonly string[]> {
  const { name, isManaged, extension, withoutTools = [] } = arm;
  if (excludedTools(arm).length > 0 && !pi.excludesTools)
    throw hostError(
      `the arm ${name} leaves out tools, and Pi ${pi.version} cannot; install 0.77.0 or newer`,
    );
  const paths = isManaged ? [options.extension ?? adapterFolder()] : [];
  if (withoutTools.includes(neededTool)) {
    const refusing = join(home, "refused-tools.js");
    await mkdir(home, { recursive: true });
    await writeRefusingExtension(refusing, [neededTool]);
    paths.push(refusing);
  }
  if (extension !== undefined)
    paths.push(await installedExtension(extension, join(home, "extension")));
  return paths;
}

function excludedTools({ withoutTools = [] }: Arm): readonly string[] {
  return withoutTools.filter((tool) => tool !== neededTool);
}

async function launched(
  pi: PiInstallation,
  options: PiHostOptions,
  given: HostOptions,
  extensions: readonly string[],
  isKnown: boolean,
): Promise<PiRpc> {
  const { workspace } = given;
  const { environment, errorFile } = await writePiHome(pi, given, isKnown);
  const [command, ...first] = pi.command;
  const rpc = openPiRpc({
    command,
    arguments: [
      ...first,
      ...argumentsOf(options, given),
      ...extensions.flatMap((path) => ["-e", path]),
    ],
    folder: workspace,
    environment,
    errorFile,
    settles: pi.settles,
  });
  try {
    await within(startMs, `Pi ${pi.version} did not start`, checkStarted(rpc, given));
    return rpc;
  } catch (error) {
    await rpc[Symbol.asyncDispose]();
    const reason = error instanceof Error ? error.message : String(error);
    const complaints = await rpc.complaints();
    throw hostError(`Pi ${pi.version} cannot be used: ${reason}${withColon(complaints)}`, error);
  }
}

/** The arguments that leave out what the machine has, and name the model. */
function argumentsOf(options: PiHostOptions, { arm, access }: HostOptions): readonly string[] {
  const tools = excludedTools(arm);
  return [
    "--mode",
    "rpc",
    "--no-extensions",
    "--no-skills",
    "--no-prompt-templates",
    "--no-themes",
    "--no-context-files",
    "--model",
    `${access.provider}/${access.id}`,
    "--thinking",
    access.isReasoning ? (options.thinking ?? "medium") : "off",
    ...(tools.length === 0 ? [] : ["--exclude-tools", tools.join(",")]),
  ];
}

/** Checks that Pi has the model, and for a managed arm the adapter: otherwise the run would not be what it is called. */
async function checkStarted(rpc: PiRpc, { arm, access }: HostOptions): Promise<void> {
  const { model } = await rpc.send({ type: "get_state" });
  const facts: JsonObject = model !== undefined && isJsonObject(model) ? model : {};
  // For a model that it does not know, Pi takes the facts of another one.
  for (const name of ["id", "api", "contextWindow"] as const) {
    if (facts[name] !== access[name])
      throw new Error(
        `${name} of its model is ${JSON.stringify(facts[name])}, not ${access[name]}`,
      );
  }
  const { commands } = await rpc.send({ type: "get_commands" });
  const names = commands !== undefined && isJsonList(commands) ? commands : [];
  const isLoaded = names.some((one) => isJsonObject(one) && one["name"] === "context");
  if (arm.isManaged && !isLoaded) throw new Error("the context manager is not loaded");
}

function session(rpc: PiRpc): HostSession {
  return {
    prompt: async (text, { signal }) => {
      const failure = await turnOf(rpc, text, signal);
      const { text: last, error = failure, notices } = rpc.turn();
      return answer(last, failure ?? error, notices);
    },
    newSession: async () => {
      const { cancelled }: JsonObject = await rpc.send({ type: "new_session" }).catch((error) => {
        throw hostError("Pi cannot begin a new session", error);
      });
      if (cancelled === true) throw hostError("an extension prevented a new session of Pi");
    },
    [Symbol.asyncDispose]: async () => await rpc[Symbol.asyncDispose](),
  };
}

/** Sends a prompt and waits for the end of the turn. Returns the error that ended it, except one of the model. */
async function turnOf(rpc: PiRpc, text: string, signal: AbortSignal): Promise<string | undefined> {
  if (signal.aborted) return "the turn was aborted before it began";
  const aborted = Promise.withResolvers<"aborted">();
  const abort = (): void => aborted.resolve("aborted");
  signal.addEventListener("abort", abort, { once: true });
  const ended = rpc.prompt(text).then(
    () => undefined,
    async (error: Error) => `${error.message}${withColon(await rpc.complaints())}`,
  );
  try {
    const first = await Promise.race([ended, aborted.promise]);
    if (first !== "aborted") return first;
    await endTurn(rpc, ended);
    return "the turn was aborted";
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Ends the turn by Pi's own command, or the process if Pi does not follow. */
async function endTurn(rpc: PiRpc, ended: Promise<unknown>): Promise<void> {
  // The end of the turn is awaited, not the response; a process that has ended gives none.
  const abort = (): void => void rpc.send({ type: "abort" }).catch(() => undefined);
  abort();
  // An abort that comes before the run has begun does nothing, so it is repeated.
  const repeated = setInterval(abort, 1_000);
  const timer = setTimeout(() => rpc.kill(), abortMs);
  await ended;
  clearInterval(repeated);
  clearTimeout(timer);
}

function answer(text: string, error: string | undefined, notices: readonly string[]): HostAnswer {
  return {
    text,
    ...(error === undefined ? {} : { error }),
    ...(notices.length === 0 ? {} : { notices }),
  };
}

async function within<Value>(ms: number, what: string, promise: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} in ${ms / 1_000} s`)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function withColon(complaints: string): string {
  return complaints === "" ? "" : `: ${complaints}`;
}
