import { configFromEnvironment, openContextManager } from "@self-context-manager/compose";
import { type OpenContext, piExtension } from "@self-context-manager/adapter-pi";
import { openLoopbackModel, type WireRequest } from "@self-context-manager/evaluate/loopback";

import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { managedFiles, managedScript, pixel } from "./managed-script.ts";
import { piPrint } from "./pi-print.ts";
import { openPiRpc } from "./pi-rpc.ts";
import { openPiSdk } from "./pi-sdk.ts";
import type { PiVersion } from "./pi-versions.ts";
import { openPiWorkspace, type PiWorkspace } from "./pi-workspace.ts";

/** The package as Pi loads it. It must be built first. */
export const adapterFolder: string = fileURLToPath(
  new URL("../../packages/adapter-pi", import.meta.url),
);

/** The layout and the policy of the specification. A test that reads requests always names both. */
export const pooled = { SCM_LAYOUT: "pooled", SCM_POLICY: "window" } as const;

export type PiMode = "print" | "rpc" | "sdk";

export const piModes: readonly PiMode[] = ["print", "rpc", "sdk"];

export interface ManagedRun {
  readonly requests: readonly WireRequest[];
  readonly failures: readonly string[];
  /** The text of standard error, and the errors of extensions. */
  readonly complaints: string;
}

const runs = new Map<string, Promise<ManagedRun>>();

/**
 * Runs the managed session and one more prompt, once for all tests that read it. In print mode and with the SDK the
 * second prompt resumes the session. In RPC mode it continues in the same process.
 */
export const managedRun = async (pi: PiVersion, mode: PiMode): Promise<ManagedRun> => {
  const key = `${pi.version} ${mode}`;
  const known = runs.get(key) ?? run(pi, mode);
  runs.set(key, known);
  return known;
};

/** Runs the managed session again, with the given settings in the environment. */
export const runManaged = async (
  pi: PiVersion,
  mode: PiMode,
  environment: Readonly<Record<string, string>>,
): Promise<ManagedRun> => await run(pi, mode, environment);

const run = async (
  pi: PiVersion,
  mode: PiMode,
  environment: Readonly<Record<string, string>> = {},
): Promise<ManagedRun> => {
  await using model = await openLoopbackModel({
    script: [...managedScript, { type: "text", text: "Here I am again." }],
  });
  await using workspace = await openPiWorkspace({ model, files: managedFiles });
  const complaints = await runners[mode](pi, workspace, { ...pooled, ...environment });
  return { requests: model.requests, failures: model.failures, complaints };
};

const images = [
  { type: "image", data: Buffer.from(pixel).toString("base64"), mimeType: "image/png" },
] as const;

type Runner = (
  pi: PiVersion,
  at: PiWorkspace,
  environment: Readonly<Record<string, string>>,
) => Promise<string>;

const runners: Readonly<Record<PiMode, Runner>> = {
  print: async (pi, workspace, environment) => {
    const common = { pi, workspace, extensions: [adapterFolder], environment };
    const first = await piPrint({ ...common, prompt: "look around" });
    const second = await piPrint({ ...common, prompt: "and now", arguments: ["-c"] });
    return first.stderr + second.stderr;
  },
  rpc: async (pi, workspace, environment) => {
    await using rpc = await openPiRpc({
      pi,
      workspace,
      extensions: [adapterFolder],
      environment,
    });
    await rpc.prompt("look around", { images });
    await rpc.prompt("and now");
    return (await rpc.close()).stderr;
  },
  sdk: async (pi, workspace, environment) => {
    const factories = [piExtension({ openContext: openIn(workspace, environment) })];
    let sessionFile: string | undefined;
    const complaints: string[] = [];
    {
      await using sdk = await openPiSdk({ pi, workspace, factories });
      await sdk.prompt("look around", { images });
      sessionFile = sdk.session.sessionFile;
      complaints.push(...sdk.errors);
    }
    await using sdk = await openPiSdk({ pi, workspace, factories, sessionFile: sessionFile ?? "" });
    await sdk.prompt("and now");
    return [...complaints, ...sdk.errors].join("\n");
  },
};

/** Opens sessions on a store in a workspace's home, with the layout that the tests expect. */
export const openIn =
  (
    { agentFolder }: PiWorkspace,
    environment: Readonly<Record<string, string>> = pooled,
  ): OpenContext =>
  async ({ host, workspace }) => {
    const settings = { SCM_STORE: join(agentFolder, "store.sqlite"), ...environment };
    const manager = await openContextManager({ ...configFromEnvironment(settings), workspace });
    return {
      session: await manager.openSession(host),
      [Symbol.asyncDispose]: async () => await manager[Symbol.asyncDispose](),
    };
  };
