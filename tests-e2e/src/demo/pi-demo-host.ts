import { fileURLToPath } from "node:url";

import { openPiSdk } from "../pi-sdk.ts";
import { type PiVersion, everyPiVersion } from "../pi-versions.ts";
import { openPiWorkspace } from "../pi-workspace.ts";
import type { DemoHost, HostSession, HostSessionOptions } from "./demo-host.ts";
import { demoProject } from "./demo-project.ts";

/** The extension as a user installs it from a checkout. */
export const extensionFolder: string = fileURLToPath(
  new URL("../../../packages/adapter-pi", import.meta.url),
);

/**
 * Returns Pi as the demo's host: its SDK and tools, and the extension as it would be published. Throws `RangeError` for
 * a release that is not installed. Default: the newest release.
 */
export function piDemoHost(version?: string): DemoHost {
  const pi = releaseOf(version);
  return {
    name: "Pi",
    version: pi.version,
    showsObjects: true,
    shell: "bash",
    part: "extension",
    command: "/context",
    open: async (options) => await openSession(pi, options),
  };
}

/** Finds a release of Pi. Throws `RangeError` for one that is not installed. Default: the newest release. */
export function releaseOf(version: string | undefined): PiVersion {
  const found =
    version === undefined
      ? everyPiVersion.at(-1)
      : everyPiVersion.find((pi) => pi.version === version);
  if (found !== undefined) return found;
  const versions = everyPiVersion.map((pi) => pi.version).join(", ");
  throw new RangeError(`--pi is ${JSON.stringify(version)}; it must be one of ${versions}`);
}

async function openSession(
  pi: PiVersion,
  { model, isManaged, environment }: HostSessionOptions,
): Promise<HostSession> {
  Object.assign(process.env, environment);
  let status = "";
  let notification = "";
  await using opened = new AsyncDisposableStack();
  const workspace = opened.use(
    await openPiWorkspace({
      model: { url: model },
      api: "anthropic-messages",
      files: demoProject,
    }),
  );
  const sdk = opened.use(
    await openPiSdk({
      pi,
      workspace,
      extensions: isManaged ? [extensionFolder] : [],
      ui: {
        notify: (text: string) => (notification = text),
        setStatus: (_key: string, text: string | undefined) => (status = text ?? ""),
      },
    }),
  );
  const resources = opened.move();
  return {
    async prompt(text) {
      await sdk.prompt(text);
    },
    async figures() {
      await sdk.prompt("/context");
      return notification;
    },
    get status() {
      return status;
    },
    get errors() {
      return sdk.errors;
    },
    [Symbol.asyncDispose]: async () => await resources.disposeAsync(),
  };
}
