import { fieldsOf } from "@self-context-manager/core/host";

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import type { GatewayOptions } from "./gateway.ts";
import { pluginFolder } from "./gateway-config.ts";
import { errorsOf, type PlayedGateway, playedGateway } from "./played-gateway.ts";

/** The plugin as it would be published. */
export const pluginTarball: string = join(pluginFolder, "pack", "package.tgz");

/** A new source needs the user's consent, and a plugin with tools needs it for them too. */
export const consent: readonly string[] = ["--force", "--accept-capabilities"];

/** Returns why the tests of the plugin's package cannot run; undefined if they can. It is printed once for each file of tests. */
export function unpackedProblem(): string | undefined {
  if (existsSync(pluginTarball)) return undefined;
  const problem =
    "The tests of the OpenClaw plugin's package are skipped, because it is not packed: `npm run dev -- check:packages` packs it";
  console.warn(problem);
  return problem;
}

/** Unpacks the tarball into a new folder, which disposal removes. */
export async function unpackedPlugin(): Promise<AsyncDisposable & { readonly folder: string }> {
  const parent = await mkdtemp(join(tmpdir(), "scm-plugin-"));
  const folder = join(parent, "adapter-openclaw");
  await mkdir(folder);
  await promisify(execFile)("tar", ["-xzf", pluginTarball, "-C", folder, "--strip-components=1"]);
  return {
    folder,
    async [Symbol.asyncDispose]() {
      await rm(parent, { recursive: true, force: true });
    },
  };
}

/** The file that the turn reads in which the plugin shows that it manages the context. */
const letter = { "letter.txt": "Dear reader,\nall is well.\n" };

/**
 * A gateway on the state that an installation of the plugin made. `install` has the arguments of the command. No registry of
 * packages is within its reach.
 */
export async function installedGateway(
  install: readonly string[],
  options: Pick<GatewayOptions, "files" | "others"> = {},
): Promise<PlayedGateway> {
  return await playedGateway({
    ...options,
    files: { ...options.files, ...letter },
    install: [...install, ...consent],
    environment: {
      PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
      npm_config_registry: "http://127.0.0.1:9",
    },
  });
}

/** Returns what the installation has set, and what the model gets in a turn that reads a file. */
export async function letterTurn(played: PlayedGateway): Promise<object> {
  const { slots, entries } = fieldsOf(fieldsOf(await played.gateway.config())["plugins"]);
  const requests = await played.turn("look", [[["read", { path: "letter.txt" }]]]);
  const [first, second] = requests;
  const tools = first?.wire.tools.map(({ name }) => name) ?? [];
  return {
    slots,
    entry: fieldsOf(entries)["self-context-manager"],
    tools: tools.filter((name) => /^(?:un)?pin$|activate$|^find_objects$/u.test(name)),
    shown: second?.text.split("\n\n").at(-1),
    errors: errorsOf(played, requests),
    warnings: /^.*(?:self-context-manager: |degraded to "legacy").*$/mu.exec(played.gateway.log),
  };
}

/** The result of `letterTurn` if the plugin is installed and manages the context. */
export const managedLetterTurn: object = {
  slots: { contextEngine: "self-context-manager" },
  entry: { enabled: true },
  tools: ["activate", "deactivate", "find_objects", "pin", "unpin"],
  shown: "f1 letter.txt v1\n~~~\nDear reader,\nall is well.\n~~~",
  errors: [],
  warnings: null,
};
