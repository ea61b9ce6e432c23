import { openContextManager } from "@self-context-manager/compose";
import type { ObjectStore } from "@self-context-manager/core";
import { mkdir, mkdtemp, realpath, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type CliInput, runCli } from "../src/cli.ts";

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A store in a file beside the working folder of a session, and the command that inspects it. */
export interface TemporaryStore extends AsyncDisposable {
  readonly workspace: string;
  readonly at: string;
  scm(...argv: readonly string[]): Promise<CliRun>;
  /** Runs the command with a terminal for its output and its errors. */
  scmOnTerminal(...argv: readonly string[]): Promise<CliRun>;
}

/** A folder without a store. */
export async function temporaryStore(): Promise<TemporaryStore> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "scm-")));
  const workspace = join(path, "work");
  const at = join(path, "store.sqlite");
  await mkdir(workspace);
  return {
    workspace,
    at,
    scm: async (...argv) => await run(argv, { SCM_STORE: at }, workspace),
    scmOnTerminal: async (...argv) => await run(argv, { SCM_STORE: at }, workspace, {}, true),
    [Symbol.asyncDispose]: async () => await rm(path, { recursive: true }),
  };
}

/** A page for the inspector, which needs no build. */
export const page = { script: "/* the script */", style: "/* the style */" };

/** Runs the command in this process. */
export async function run(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  folder = "/",
  input: Partial<CliInput> = {},
  onTerminal = false,
): Promise<CliRun> {
  let stdout = "";
  let stderr = "";
  const output = {
    stdout: (text: string): void => {
      stdout += text;
    },
    stderr: (text: string): void => {
      stderr += text;
    },
    isTerminal: onTerminal,
    stdoutIsTerminal: onTerminal,
  };
  const code = await runCli(argv, output, { environment, folder, page, ...input });
  return { code, stdout, stderr };
}

/** The seconds of a clock that advances at each reading; times in the store depend on nothing else. */
function tickingClock(): { now(): number } {
  let now = Date.UTC(2026, 0, 2, 3, 4, 0);
  return { now: () => (now += 1000) };
}

export const texts = { first: "one\r\ntwo\n\uFEFFé 👩‍👩‍👧\n", second: "one\n" };

/**
 * A session `s1` of `pi`. It read `a.txt` in two versions (f1), `b.md`, which was deleted afterwards (f2), and `c.bin`
 * (f3); a tool call named `src/d.ts` (f4). `a.txt` is pinned, `b.md` is inactive.
 */
export async function storeWithSession(): Promise<TemporaryStore> {
  const made = await temporaryStore();
  const { workspace, at } = made;
  await mkdir(join(workspace, "src"));
  await writeFile(join(workspace, "a.txt"), texts.first);
  await writeFile(join(workspace, "b.md"), "# b\n");
  await writeFile(join(workspace, "c.bin"), Buffer.from([0, 1, 2]));
  await writeFile(join(workspace, "src", "d.ts"), "export {};\n");
  await using manager = await openContextManager({ at, workspace, clock: tickingClock() });
  const session = await manager.openSession({ harness: "pi", sessionId: "s1" });
  for (const path of ["a.txt", "b.md", "c.bin"]) await session.read({ path });
  await session.recordNamed(["src/d.ts"]);
  await writeFile(join(workspace, "a.txt"), texts.second);
  await session.read({ path: "a.txt" });
  await unlink(join(workspace, "b.md"));
  await session.read({ path: "b.md" });
  await session.pin("a.txt");
  await session.recordSystemPrompt("own", "Be brief.");
  return made;
}

/** The id of an object by its path in the workspace. */
export async function idOf(store: TemporaryStore, name: string): Promise<string> {
  return await withStore(store, async (open) => {
    const { items } = await open.find({ where: { path: join(store.workspace, name) } });
    return items[0]?.body.id ?? "";
  });
}

export async function withStore<Result>(
  { at, workspace }: TemporaryStore,
  use: (store: ObjectStore) => Promise<Result>,
): Promise<Result> {
  await using manager = await openContextManager({ at, workspace });
  return await use(manager.store);
}
