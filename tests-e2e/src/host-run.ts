import {
  type Arm,
  type EvaluationHost,
  findArms,
  type HostAnswer,
  type HostSession,
  type ModelAccess,
} from "@self-context-manager/evaluate";
import {
  type LoopbackModel,
  type LoopbackModelOptions,
  openLoopbackModel,
} from "@self-context-manager/evaluate/loopback";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The key of the provider. Nothing else has this text. */
export const runKey = "key-of-the-run-4711";

const rates = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

export interface HostRunOptions {
  readonly host: EvaluationHost;
  readonly arm: string | Arm;
  readonly script: LoopbackModelOptions["script"];
  readonly files?: Readonly<Record<string, string>>;
  readonly access?: Partial<ModelAccess>;
  /** Returns the model as the host gets it: through a meter, for example. */
  readonly through?: (access: ModelAccess) => ModelAccess;
}

/** A host of evaluations in temporary folders, with a scripted model. */
export interface HostRun extends AsyncDisposable {
  readonly model: LoopbackModel;
  readonly session: HostSession;
  readonly workspace: string;
  readonly home: string;
  /** Sends a prompt without a time limit. */
  prompt(text: string): Promise<HostAnswer>;
  /** The names of the files beside the workspace and the home. */
  stored(): Promise<readonly string[]>;
  /** The command lines of the processes that the run started. */
  processes(): readonly string[];
}

export async function openHostRun(options: HostRunOptions): Promise<HostRun> {
  await using stack = new AsyncDisposableStack();
  const root = await realpath(await mkdtemp(join(tmpdir(), "scm-host-")));
  stack.defer(async () => await rm(root, { recursive: true, force: true }));
  const [workspace, home] = [join(root, "work"), join(root, "home")];
  await mkdir(workspace);
  for (const [path, text] of Object.entries(options.files ?? {}))
    await writeFile(join(workspace, path), text);
  const model = stack.use(await openLoopbackModel({ script: options.script }));
  const [arm] = typeof options.arm === "string" ? findArms([options.arm]) : [options.arm];
  if (arm === undefined) throw new TypeError("one name gives one arm");
  const direct: ModelAccess = {
    provider: "url",
    id: "loopback-1",
    api: "openai-completions",
    url: model.url,
    key: runKey,
    contextWindow: 200_000,
    maxTokens: 4_096,
    isReasoning: false,
    prices: {
      ...rates,
      tiers: [{ ...rates, inputTokensAbove: 100_000 }],
    },
    ...options.access,
  };
  const access = options.through?.(direct) ?? direct;
  const store = join(root, "store.sqlite");
  const session = stack.use(await options.host.open({ arm, access, workspace, home, store }));
  const opened = stack.move();
  return {
    model,
    session,
    workspace,
    home,
    prompt: async (text) => await session.prompt(text, { signal: new AbortController().signal }),
    stored: async () =>
      (await readdir(root)).filter((name) => name !== "work" && name !== "home").toSorted(),
    processes: () => processesIn(root),
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}

/** The command lines of the processes whose environment or working folder names a folder. */
export function processesIn(folder: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const environment = readProcess(name, "environ");
      return environment.includes(folder)
        ? [readProcess(name, "cmdline").replaceAll("\0", " ")]
        : [];
    });
}

function readProcess(id: string, file: string): string {
  try {
    return readFileSync(join("/proc", id, file), "utf8");
  } catch {
    // It has ended meanwhile.
    return "";
  }
}
