import { type Browser, chromium } from "playwright-core";

import { browserFiles } from "./chromium-files.ts";

/** A running browser. Disposal ends it. */
export interface TestBrowser extends AsyncDisposable {
  readonly browser: Browser;
}

/** Starts a browser without a window. Rejects if the machine has none, see `browserProblem`. */
export async function openBrowser(): Promise<TestBrowser> {
  const files = await browserFiles();
  if (files === undefined) throw new Error(noBrowser);
  const browser = await chromium.launch({
    executablePath: files.executablePath,
    env: { ...machineEnvironment(), ...files.environment },
    // Containers have little shared memory.
    args: ["--disable-dev-shm-usage"],
  });
  return { browser, [Symbol.asyncDispose]: async () => await browser.close() };
}

/** Returns why tests in a browser cannot run; undefined if they can. It is printed once for each file of tests. */
export async function browserProblem(): Promise<string | undefined> {
  if ((await browserFiles()) !== undefined) return undefined;
  const problem = `The tests in a browser are skipped. ${noBrowser}`;
  console.warn(problem);
  return problem;
}

const noBrowser =
  "This machine has no Chromium; SCM_CHROMIUM can name the path of one, and on Linux x64 it comes with the npm packages.";

function machineEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
}
