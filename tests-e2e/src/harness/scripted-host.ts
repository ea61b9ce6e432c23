import {
  type Clock,
  type ContextSession,
  type HostSession,
  type ObjectStore,
  type ToolFacts,
  usualToolFacts,
} from "@self-context-manager/core";
import { type MessageCodec, toJson } from "@self-context-manager/core/host";
import { uuidIds } from "@self-context-manager/compose";
import { memoryStore } from "@self-context-manager/store-memory";
import {
  breakableStore,
  memoryFolder,
  type OpenHost,
  openTriedSession,
  scriptedAdapter,
  type ScriptedAdapter,
  scriptedCalls,
  scriptedCodec,
  scriptedHarness,
  scriptedTools,
  type ScriptedHarness,
  type ScriptedMessage,
  type SavedSession,
  storedHashes,
  storedPrompts,
} from "@self-context-manager/testkit";

/** The parts of a host that a faulty adapter can use. */
export interface ScriptedParts {
  /** Returns the open session. Rejects while the store is broken. */
  readonly session: () => Promise<ContextSession>;
  /** Opens a session with any id. */
  readonly open: (host: HostSession) => Promise<ContextSession>;
  readonly notify: (text: string) => void;
  /** How often the host has been opened, including this time. */
  readonly openings: number;
}

/** Returns replacements for parts of a sound adapter. */
export type Breaking = (adapter: ScriptedAdapter, parts: ScriptedParts) => Partial<ScriptedAdapter>;

export interface ScriptedHostOptions {
  readonly breaking?: Breaking;
  /** Changes the session that the adapter gets. Default: it gets the session unchanged. */
  readonly openedAs?: (session: ContextSession) => ContextSession;
  readonly codec?: MessageCodec<ScriptedMessage>;
  /** How many messages the host keeps before each prompt. It drops the older ones. `undefined`: it keeps all. */
  readonly keeps?: number;
  /** The name of the host's tool that reads files. Default: `read`. */
  readonly readTool?: string;
  /** Opens the store of a host. Default: the memory store. */
  readonly openStore?: (clock: Clock) => Promise<HostStore>;
}

/** The store of a host, which can be broken and repaired. */
export interface HostStore {
  readonly store: ObjectStore;
  setBroken(broken: boolean): void;
  /** Resolves when the last change by `setBroken` has taken effect. */
  settled(): Promise<void>;
}

async function breakableMemory(clock: Clock): Promise<HostStore> {
  const availability = { isBroken: false };
  return await Promise.resolve({
    store: breakableStore(memoryStore({ clock }), availability),
    setBroken: (broken) => void (availability.isBroken = broken),
    settled: async () => {},
  });
}

/** Returns the usual facts, and those of a tool of this name that reads files. */
function factsWith(readTool: string): ToolFacts {
  return (name, args) => usualToolFacts(name === readTool ? "read" : name, args);
}

/** Returns hosts that are the scripted harness on a store. */
export function scriptedHost({
  breaking = () => ({}),
  openedAs = (session) => session,
  codec = scriptedCodec,
  keeps = Number.POSITIVE_INFINITY,
  readTool = "read",
  openStore = breakableMemory,
}: ScriptedHostOptions = {}): OpenHost {
  return async (options) => {
    const clock = { now: () => 1_700_000_000_000 };
    const folder = memoryFolder(options.files);
    const kept = await openStore(clock);
    const { store } = kept;
    if (options.brokenStore) kept.setBroken(true);
    const ids = uuidIds(clock);
    const notices: string[] = [];
    const earlier: ScriptedHarness["requests"][number][] = [];
    let openings = 0;
    let sessionId = "scripted-1";
    let current = open();

    function open(saved?: SavedSession): {
      readonly harness: ScriptedHarness;
      readonly adapter: ScriptedAdapter | undefined;
    } {
      openings += 1;
      const openSession = async (host: HostSession): Promise<ContextSession> =>
        openedAs(
          await openTriedSession(
            { store, files: folder, ids, workspace: folder.path, toolFacts: factsWith(readTool) },
            options.settings,
            host,
          ),
        );
      let session: ContextSession | undefined;
      const parts: ScriptedParts = {
        session: async () => (session ??= await openSession({ harness: "scripted", sessionId })),
        open: openSession,
        notify: (text) => void notices.push(text),
        openings,
      };
      const sound = scriptedAdapter({
        sessionId,
        readTool,
        openSession: parts.session,
        notify: parts.notify,
        off: options.adapter === "off",
        codec,
        thinking: options.thinking,
      });
      const adapter =
        options.adapter === "absent" ? undefined : { ...sound, ...breaking(sound, parts) };
      const harness = scriptedHarness({
        model: options.model,
        folder,
        tools: scriptedTools(folder, readTool),
        ...(options.other === undefined ? {} : { other: options.other }),
        ...(adapter === undefined ? {} : { plugin: adapter }),
        ...(saved === undefined ? {} : { saved }),
        compactsEagerly: options.compactsEagerly,
      });
      return { harness, adapter };
    }

    return {
      settings: options.settings,
      calls: scriptedCalls(readTool),
      get requests() {
        return [...earlier, ...current.harness.requests];
      },
      notices,
      prompt: async (text, images) => {
        const { harness } = current;
        await kept.settled();
        harness.truncate(Math.max(0, harness.messages.length - keeps));
        await harness.prompt(text, images);
      },
      record: async () => await Promise.resolve(toJson(current.harness.messages)),
      restart: async () => {
        earlier.push(...current.harness.requests);
        current = open(current.harness.save());
        await Promise.resolve();
      },
      fork: async () => {
        earlier.push(...current.harness.requests);
        sessionId = `scripted-${openings + 1}`;
        current = open({ ...current.harness.save(), sessionId });
        await Promise.resolve();
      },
      setBroken: (broken) => kept.setBroken(broken),
      turn: async (on) => await Promise.resolve(current.adapter?.turn(on)),
      writeFile: async (path, text) => await Promise.resolve(folder.set(path, text)),
      addOwnMessage: async (text) => await Promise.resolve(current.harness.note(text)),
      changeUsage: async () => await Promise.resolve(current.harness.changeUsage()),
      systemPrompts: async () => await storedPrompts(store),
      requestHashes: async () => await storedHashes(store),
      goBack: async (prompt) => await Promise.resolve(current.harness.goBack(prompt)),
      compact: async () => await current.harness.compact("the user's summary"),
      compactions: async () => await Promise.resolve(current.harness.save().compactions),
      async [Symbol.asyncDispose]() {
        kept.setBroken(false);
        await kept.settled();
        await store[Symbol.asyncDispose]();
      },
    };
  };
}
