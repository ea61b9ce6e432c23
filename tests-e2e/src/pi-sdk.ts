import { pathToFileURL } from "node:url";
import { dirname, join } from "node:path";

import { piInstallation } from "./pi-versions.ts";
import type { PiVersion } from "./pi-versions.ts";
import type { PiWorkspace } from "./pi-workspace.ts";

export interface PiSdkOptions {
  readonly pi: PiVersion;
  readonly workspace: PiWorkspace;
  /** Files or package folders, loaded by Pi as with `-e`. */
  readonly extensions?: readonly string[];
  /** Extension factories of this process. They run after those of `extensions`. */
  readonly factories?: readonly ((pi: never) => void | Promise<void>)[];
  /** The allowlist of tools, as with `--tools`. */
  readonly tools?: readonly string[];
  /** As with `--no-tools` and `--no-builtin-tools`. */
  readonly noTools?: "all" | "builtin";
  /** A session to continue. `undefined`: a new session. */
  readonly sessionFile?: string;
  /** The interface by which extensions reach the user. `undefined`: extensions find no user. */
  readonly ui?: object;
  /** The time limit of one prompt, in milliseconds. */
  readonly deadlineMs?: number;
}

export interface PiSdkImage {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

export interface PiSdkEntry {
  readonly id: string;
  readonly type: string;
  readonly message?: { readonly role: string; readonly content: unknown };
}

export interface PiSdkEvent {
  readonly type: string;
}

/** The part of Pi's `AgentSession` that every supported release has. */
export interface PiSdkSession {
  readonly sessionFile: string | undefined;
  readonly sessionId: string;
  readonly messages: readonly unknown[];
  readonly isStreaming: boolean;
  prompt(text: string, options?: { readonly images?: readonly PiSdkImage[] }): Promise<void>;
  abort(): Promise<void>;
  compact(instructions?: string): Promise<unknown>;
  reload(): Promise<void>;
  /** Goes to an entry of the session's tree, as `/tree` does. */
  navigateTree(entry: string, options?: { readonly summarize?: boolean }): Promise<unknown>;
  readonly sessionManager: {
    getBranch(): readonly PiSdkEntry[];
    getLeafId(): string | null;
  };
  getActiveToolNames(): string[];
  setActiveToolsByName(names: readonly string[]): void;
  setAutoCompactionEnabled(enabled: boolean): void;
  subscribe(listener: (event: PiSdkEvent) => void): () => void;
}

export interface PiSdk extends AsyncDisposable {
  readonly session: PiSdkSession;
  readonly events: readonly PiSdkEvent[];
  /** The errors of extensions, including those that prevented loading. */
  readonly errors: readonly string[];
  /** Sends a prompt and waits for the end of the run. After the deadline, aborts the run and rejects. */
  prompt(text: string, options?: { readonly images?: readonly PiSdkImage[] }): Promise<void>;
}

/** Opens a real Pi session in this process, with its real tools, against the workspace's model. */
export const openPiSdk = async (options: PiSdkOptions): Promise<PiSdk> => {
  const { pi, workspace, deadlineMs = 120_000 } = options;
  const { workFolder: cwd, agentFolder: agentDir } = workspace;
  const sdk: SdkModule = await import(pathToFileURL(piInstallation(pi).sdk).href);
  const settingsManager = sdk.SettingsManager.create(cwd, agentDir);
  const resourceLoader = new sdk.DefaultResourceLoader({
    cwd,
    agentDir,
    settingsManager,
    additionalExtensionPaths: [...(options.extensions ?? [])],
    extensionFactories: [...(options.factories ?? [])],
    noExtensions: true,
    noSkills: true,
    noPromptTemplates: true,
    noThemes: true,
    noContextFiles: true,
  });
  await resourceLoader.reload();
  const { session, extensionsResult } = await sdk.createAgentSession({
    cwd,
    agentDir,
    settingsManager,
    resourceLoader,
    sessionManager: sessionManager(sdk, options),
    ...(await modelAccess(sdk, workspace)),
    ...(options.tools === undefined ? {} : { tools: [...options.tools] }),
    ...(options.noTools === undefined ? {} : { noTools: options.noTools }),
  });

  const events: PiSdkEvent[] = [];
  const errors = extensionsResult.errors.map(({ path, error }) => `${path}: ${error}`);
  session.subscribe((event) => events.push(event));
  // Without bindings, Pi sends no `session_start` event to extensions.
  await session.bindExtensions({
    ...(options.ui === undefined ? {} : { uiContext: options.ui }),
    onError: ({ event, error }) => errors.push(`${event}: ${error}`),
  });

  let disposed = false;
  return {
    session,
    events,
    errors,
    prompt: async (text, prompting) => {
      const { promise: expired, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        reject(new Error(`Pi ${pi.version} did not answer in ${deadlineMs} ms`));
      }, deadlineMs);
      const running = session.prompt(text, prompting);
      try {
        await Promise.race([running, expired]);
      } catch (error) {
        await session.abort();
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    [Symbol.asyncDispose]: async () => {
      if (disposed) {
        return;
      }
      disposed = true;
      await session.abort();
      // Pi's own modes send this event before they end. `dispose` alone sends no event to the extensions.
      await session.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
      session.dispose();
    },
  };
};

/** Copies a session up to its end into a session with its own id, as Pi's `/fork` does. Returns the new file. */
export const forkSession = async (pi: PiVersion, sessionFile: string): Promise<string> => {
  const sdk: SdkModule = await import(pathToFileURL(piInstallation(pi).sdk).href);
  const manager = sdk.SessionManager.open(sessionFile, dirname(sessionFile));
  const forked = manager.createBranchedSession(manager.getLeafId() ?? "");
  if (forked === undefined) throw new Error(`Pi ${pi.version} did not fork ${sessionFile}`);
  return forked;
};

const sessionManager = (sdk: SdkModule, options: PiSdkOptions): unknown => {
  const { workFolder, agentFolder } = options.workspace;
  const folder = join(agentFolder, "sessions", "sdk");
  return options.sessionFile === undefined
    ? sdk.SessionManager.create(workFolder, folder)
    : sdk.SessionManager.open(options.sessionFile, folder);
};

/** Returns the source of the model: a registry before 0.87, a runtime since. */
const modelAccess = async (
  sdk: SdkModule,
  workspace: PiWorkspace,
): Promise<Readonly<Record<string, unknown>>> => {
  const authPath = join(workspace.agentFolder, "auth.json");
  const modelsPath = join(workspace.agentFolder, "models.json");
  const { provider, id } = workspace.model;
  if (sdk.ModelRuntime !== undefined) {
    const modelRuntime = await sdk.ModelRuntime.create({ authPath, modelsPath });
    return { modelRuntime, model: modelRuntime.getModel(provider, id) };
  }
  if (sdk.AuthStorage === undefined) {
    throw new TypeError("the Pi SDK must have ModelRuntime or AuthStorage");
  }
  const authStorage = sdk.AuthStorage.create(authPath);
  const modelRegistry = sdk.ModelRegistry.create(authStorage, modelsPath);
  return { authStorage, modelRegistry, model: modelRegistry.find(provider, id) };
};

/** The parts of the SDK that this driver uses, of all supported releases. */
interface SdkModule {
  readonly SettingsManager: { create(cwd: string, agentDir: string): unknown };
  readonly DefaultResourceLoader: new (options: Readonly<Record<string, unknown>>) => {
    reload(): Promise<void>;
  };
  readonly SessionManager: {
    create(cwd: string, folder: string): unknown;
    open(
      file: string,
      folder: string,
    ): {
      getLeafId(): string | null;
      createBranchedSession(leaf: string): string | undefined;
    };
  };
  readonly AuthStorage?: { create(path: string): unknown };
  readonly ModelRegistry: {
    create(auth: unknown, modelsPath: string): { find(provider: string, id: string): unknown };
  };
  readonly ModelRuntime?: {
    create(options: { readonly authPath: string; readonly modelsPath: string }): Promise<{
      getModel(provider: string, id: string): unknown;
    }>;
  };
  createAgentSession(options: Readonly<Record<string, unknown>>): Promise<{
    readonly session: BoundSession;
    readonly extensionsResult: {
      readonly errors: readonly { readonly path: string; readonly error: string }[];
    };
  }>;
}

interface BoundSession extends PiSdkSession {
  readonly extensionRunner: {
    emit(event: { readonly type: string; readonly reason: string }): Promise<unknown>;
  };
  bindExtensions(bindings: {
    readonly uiContext?: object;
    readonly onError: (failure: { readonly event: string; readonly error: string }) => void;
  }): Promise<void>;
  dispose(): void;
}
