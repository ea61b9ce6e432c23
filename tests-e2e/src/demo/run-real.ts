import { spawn } from "node:child_process";
import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { piInstallation, piVersions } from "../pi-versions.ts";
import { demoProject, demoPrompts } from "./demo-project.ts";
import { beginStore, type DemoPlace } from "./demo-store.ts";
import { extensionFolder } from "./pi-demo-host.ts";

export interface RealRunOptions extends DemoPlace {
  /** The model as Pi names it: `provider/id`. The key comes from the environment or from Pi's own settings. */
  readonly model: string;
  readonly print: (line: string) => void;
}

/**
 * Lets a real model work on the demo's project in Pi, with managed context. Pi's output is printed, and the working
 * folder is kept.
 */
export async function runReal({ model, print, ...place }: RealRunOptions): Promise<void> {
  const pi = piVersions.at(-1);
  if (pi === undefined) throw new RangeError("no release of Pi is installed");
  await using store = await beginStore(place, print, true);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "scm-demo-")));
  for (const [path, text] of Object.entries(demoProject)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  print(`Pi ${pi.version}, model ${model}, working folder ${folder}`);
  for (const [index, prompt] of demoPrompts.entries()) {
    print(`\nuser: ${prompt}`);
    const continued = index === 0 ? [] : ["-c"];
    const flags = ["-e", extensionFolder, "--model", model, ...continued, "-p", prompt];
    await piRun([piInstallation(pi).cli, ...flags], folder, store.environment);
  }
  print(`\nThe project as the model changed it is in ${folder}.`);
  print(store.closing);
}

async function piRun(
  args: readonly string[],
  cwd: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...settings },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const code = await new Promise<number | null>((done, failed) => {
    child.once("error", failed);
    child.once("close", done);
  });
  if (code !== 0)
    throw new Error(
      `Pi ended with ${code ?? "a signal"}, for the reason above. --model takes a provider and a model that Pi knows, such as anthropic/claude-sonnet-4-5, with the provider's key in the environment.`,
    );
}
