import type { PiApi, PiContext, PiEvents, PiTool } from "../src/pi-api.ts";

/** Pi's side of the extension interface, as far as the adapter uses it, controlled by a test. */
export interface FakePi {
  readonly api: PiApi;
  readonly context: PiContext;
  readonly tools: ReadonlyMap<string, PiTool>;
  readonly notices: readonly string[];
  readonly statuses: readonly (string | undefined)[];
  readonly flags: Map<string, boolean>;
  /** The tools that the user has switched on; tools registered later are added. */
  active: string[];
  sessionId: string;
  /** The entries of the session, from the first one to its present end. */
  branch: readonly unknown[];
  /** Another extension registers a tool. Pi takes it instead of the one with the same name. */
  replace(tool: Pick<PiTool, "name" | "description">): void;
  emit<Name extends keyof PiEvents>(name: Name, event: PiEvents[Name]): Promise<unknown>;
  command(name: string, args: string): Promise<void>;
  /** The values that a terminal offers for a command's arguments; undefined if the command offers none. */
  completions(name: string, args: string): Promise<readonly string[] | undefined>;
}

export function fakePi(): FakePi {
  const handlers = new Map<string, (event: never, context: PiContext) => unknown>();
  const commands = new Map<string, Parameters<PiApi["registerCommand"]>[1]>();
  const tools = new Map<string, PiTool>();
  const notices: string[] = [];
  const statuses: (string | undefined)[] = [];
  const flags = new Map<string, boolean>();
  const context: PiContext = {
    cwd: "/work",
    hasUI: true,
    ui: {
      notify: (message) => void notices.push(message),
      setStatus: (_key, text) => void statuses.push(text),
    },
    model: { contextWindow: 100_000 },
    sessionManager: { getSessionId: () => fake.sessionId, getBranch: () => fake.branch },
  };
  const api: PiApi = {
    on: (name, handler) => void handlers.set(name, handler),
    registerTool: (tool) => {
      tools.set(tool.name, tool);
      fake.active = [...new Set([...fake.active, tool.name])];
    },
    registerCommand: (name, command) => void commands.set(name, command),
    registerFlag: (name, { default: value }) => void flags.set(name, value),
    getFlag: (name) => flags.get(name),
    getActiveTools: () => fake.active,
    getAllTools: () => [...tools.values()],
    setActiveTools: (names) => {
      fake.active = names;
    },
  };
  const fake: FakePi = {
    api,
    context,
    tools,
    notices,
    statuses,
    flags,
    active: ["read", "bash"],
    sessionId: "session-1",
    branch: [],
    replace: (tool) => void tools.set(tool.name, tool as PiTool),
    emit: async (name, event) => await handlers.get(name)?.(event as never, context),
    command: async (name, args) => await commands.get(name)?.handler(args, context),
    completions: async (name, args) => {
      const found = await commands.get(name)?.getArgumentCompletions?.(args);
      return found?.map(({ value }) => value);
    },
  };
  return fake;
}
