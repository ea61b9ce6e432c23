import {
  type Clock,
  type ContextSession,
  type HostSession,
  type JsonObject,
  type ObjectStore,
  type ToolFacts,
  usualToolFacts,
} from "@self-context-manager/core";
import {
  type ContextFigures,
  type HostClock,
  type MessageCodec,
  sha256,
  toJson,
} from "@self-context-manager/core/host";
import { storeMask, uuidIds } from "@self-context-manager/compose";
import { defined, type TextMask } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { setImmediate as nextTick } from "node:timers/promises";
import {
  type Availability,
  breakableStore,
  type HarnessHost,
  type HostOptions,
  memoryFolder,
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
  storedTexts,
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
  /** Returns what replaces secrets, for the mask of a sound host. Default: that mask, which lasts as long as the host. */
  readonly maskedBy?: (mask: TextMask) => TextMask | undefined;
  /** Opens the store of a host. Default: the memory store. */
  readonly openStore?: (clock: Clock) => Promise<HostStore>;
}

/** The store of a host, which can be broken and repaired. */
export interface HostStore {
  readonly store: ObjectStore;
  setBroken(broken: boolean | "silent"): void;
  /** How long a hook waits for the answer of a store that does not work. Default: as long as it takes. */
  readonly wait?: HostClock["wait"];
  /** Resolves when the last change by `setBroken` has taken effect. */
  settled(): Promise<void>;
}

async function breakableMemory(clock: Clock): Promise<HostStore> {
  const availability: Availability = { isBroken: false };
  return await Promise.resolve({
    store: breakableStore(memoryStore({ clock }), availability),
    setBroken: (broken) => void (availability.isBroken = broken),
    // It answers at the next turn of the event loop, if it answers.
    wait: async () => {
      for (let turn = 0; turn < 20; turn += 1) await nextTick();
    },
    settled: async () => {},
  });
}

/** Returns the mask of a store in memory. */
export function memoryMask(): TextMask {
  const mask = storeMask(undefined, { secrets: "mask" });
  if (mask === undefined) throw new TypeError("there is no mask");
  return mask;
}

/** Returns the usual facts, and those of a tool of this name that reads files. */
function factsWith(readTool: string): ToolFacts {
  return (name, args) => usualToolFacts(name === readTool ? "read" : name, args);
}

/** A scripted host with what its adapter and its provider know. */
export interface ScriptedHost extends HarnessHost {
  /** Returns the requests as the provider got them. */
  payloads(): readonly JsonObject[];
  /** Returns the figures that the user can see. */
  figures(): Promise<ContextFigures>;
}

/** Returns hosts that are the scripted harness on a store. */
export function scriptedHost({
  breaking = () => ({}),
  openedAs = (session) => session,
  codec = scriptedCodec,
  keeps = Number.POSITIVE_INFINITY,
  readTool = "read",
  openStore = breakableMemory,
  maskedBy = (mask) => mask,
}: ScriptedHostOptions = {}): (options: HostOptions) => Promise<ScriptedHost> {
  return async (options) => {
    const clock = { now: () => 1_700_000_000_000 };
    const folder = memoryFolder(options.files);
    const kept = await openStore(clock);
    const { store } = kept;
    if (options.brokenStore) kept.setBroken(true);
    const ids = uuidIds(clock);
    const mask = memoryMask();
    const notices: string[] = [];
    const earlier: ScriptedHarness["requests"][number][] = [];
    const sent: ScriptedHarness["payloads"][number][] = [];
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
            {
              store,
              files: folder,
              ids,
              workspace: folder.path,
              toolFacts: factsWith(readTool),
              ...defined({ mask: maskedBy(mask) }),
            },
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
        ...(kept.wait === undefined ? {} : { clock: { ...clock, wait: kept.wait } }),
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

    function payloads(): readonly JsonObject[] {
      return [...sent, ...current.harness.payloads];
    }

    /** Keeps the requests of a harness that ends. */
    function leave(): void {
      earlier.push(...current.harness.requests);
      sent.push(...current.harness.payloads);
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
        leave();
        current = open(current.harness.save());
        await Promise.resolve();
      },
      fork: async () => {
        leave();
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
      storedTexts: async () => await storedTexts(store),
      requestHashes: async () => await storedHashes(store),
      sentHashes: () => payloads().map((one) => sha256(JSON.stringify(one))),
      payloads,
      figures: async () => {
        if (current.adapter === undefined) throw new Error("there is no adapter");
        return await current.adapter.figures();
      },
      goBack: async (prompt) => await Promise.resolve(current.harness.goBack(prompt)),
      compact: async () => await current.harness.compact("the user's summary"),
      archive: async () => await current.adapter?.archive(current.harness.messages),
      compactions: async () => await Promise.resolve(current.harness.save().compactions),
      async [Symbol.asyncDispose]() {
        kept.setBroken(false);
        await kept.settled();
        await store[Symbol.asyncDispose]();
      },
    };
  };
}
