import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface PiWorkspaceOptions {
  /** The server of the scripted model. */
  readonly model: { readonly url: string };
  /** The protocol of the server. Default: OpenAI's chat completions. */
  readonly api?: "openai-completions" | "anthropic-messages";
  /** The API key. For a key that begins like those of Anthropic's subscriptions, Pi sends requests in their form. */
  readonly apiKey?: string;
  /** Prices in dollars per million tokens. Default: prices with Anthropic's usual ratios. */
  readonly cost?: ModelCost;
  /** The initial files, by path in the work folder. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly contextWindow?: number;
  /** Whether the model is declared as a reasoning one. */
  readonly reasoning?: boolean;
  /** The model's id. Default: `loopback-1`, which no table knows. */
  readonly modelId?: string;
  /** The ids of further models of the same server, to which a session can change. */
  readonly otherModels?: readonly string[];
  /** What Pi's model data say about the model's protocol. */
  readonly compat?: Readonly<Record<string, boolean>>;
  /** Pi's settings.json. A given key replaces the default below. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** An empty folder for the home, which disposal keeps. Default: a temporary folder, which disposal removes. */
  readonly root?: string;
  /** The name of the work folder. Default: `work`. */
  readonly workName?: string;
}

interface ModelCost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** A temporary home for Pi: a work folder, and an agent folder with only the scripted model. */
export interface PiWorkspace extends AsyncDisposable {
  readonly workFolder: string;
  readonly agentFolder: string;
  /** The model as Pi's command line names it. */
  readonly model: { readonly provider: string; readonly id: string };
  /**
   * The environment of a Pi process. Of the user's environment it contains only the paths of programs and of
   * temporary files.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns all session files, ordered by the time of their last write. */
  sessionFiles(): Promise<readonly string[]>;
}

/** Creates the folders and `models.json`. Disposal removes them, except in a given `root`. */
export const openPiWorkspace = async (options: PiWorkspaceOptions): Promise<PiWorkspace> => {
  // The real path, because Pi stores sessions under the kernel's name of the working folder.
  const root = await realpath(options.root ?? (await mkdtemp(join(tmpdir(), "scm-pi-"))));
  const workFolder = join(root, options.workName ?? "work");
  const agentFolder = join(root, "agent");
  const home = join(root, "home");
  const sessions = join(agentFolder, "sessions");
  const provider = "loopback";
  const id = options.modelId ?? "loopback-1";

  await Promise.all(
    [workFolder, sessions, home].map((folder) => mkdir(folder, { recursive: true })),
  );
  await writeFile(join(agentFolder, "models.json"), modelsJson(provider, id, options));
  await writeFile(
    join(agentFolder, "settings.json"),
    JSON.stringify({ ...quietSettings, ...options.settings }),
  );
  for (const [path, content] of Object.entries(options.files ?? {})) {
    await mkdir(dirname(join(workFolder, path)), { recursive: true });
    await writeFile(join(workFolder, path), content);
  }

  return {
    workFolder,
    agentFolder,
    model: { provider, id },
    environment: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      NO_COLOR: "1",
      PI_CODING_AGENT_DIR: agentFolder,
      PI_OFFLINE: "1",
      TMPDIR: process.env["TMPDIR"] ?? tmpdir(),
    },
    sessionFiles: async () => newestLast(sessions),
    [Symbol.asyncDispose]: async () => {
      if (options.root === undefined) await rm(root, { recursive: true, force: true });
    },
  };
};

/** Settings without retries: the script expects no repeated requests after a scripted failure. */
const quietSettings = {
  quietStartup: true,
  retry: { enabled: false },
  compaction: { enabled: false },
};

const modelsJson = (provider: string, id: string, options: PiWorkspaceOptions): string =>
  JSON.stringify({
    providers: {
      [provider]: {
        baseUrl: options.model.url,
        apiKey: options.apiKey ?? "loopback-needs-no-key",
        api: options.api ?? "openai-completions",
        models: [id, ...(options.otherModels ?? [])].map((one) => ({
          id: one,
          name: "Loopback",
          reasoning: options.reasoning ?? false,
          ...(options.compat === undefined ? {} : { compat: options.compat }),
          input: ["text", "image"],
          contextWindow: options.contextWindow ?? 200_000,
          maxTokens: 4096,
          cost: options.cost ?? { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
        })),
      },
    },
  });

const newestLast = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { recursive: true });
  const files = entries.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
  const dated = await Promise.all(
    files.map(async (file) => ({ file, modified: (await stat(file)).mtimeMs })),
  );
  return dated.toSorted((left, right) => left.modified - right.modified).map(({ file }) => file);
};
