import type { ContextSession, HostSession } from "@self-context-manager/core";
import { defined, type FileSource, type ObjectStore } from "@self-context-manager/objects";

import type { ScriptedModel } from "../harness/model-request.ts";
import type { MemoryFolder } from "../harness/scripted/memory-folder.ts";
import { type ScriptedAdapter, scriptedAdapter } from "../harness/scripted/scripted-adapter.ts";
import { scriptedCodecs } from "../harness/scripted/scripted-codecs.ts";
import {
  type SavedSession,
  type ScriptedHarness,
  scriptedHarness,
} from "../harness/scripted/scripted-harness.ts";
import type { ScriptedPlugin } from "../harness/scripted/scripted-plugin.ts";
import type { SessionHistory } from "./session-move.ts";

/** Opens a session with the layout and the policy under test. */
export type OpenTriedSession = (
  parts: { readonly store: ObjectStore; readonly files: FileSource; readonly workspace: string },
  host: HostSession,
) => Promise<ContextSession>;

/** Returns replacements for parts of a sound adapter. */
export type BreakingPlugin = (
  sound: ScriptedAdapter,
  session: () => Promise<ContextSession>,
) => Partial<ScriptedPlugin>;

export interface HistorySessionOptions extends Pick<
  SessionHistory,
  "identifiedBy" | "contextWindow"
> {
  readonly store: ObjectStore;
  readonly folder: MemoryFolder;
  readonly saved: SavedSession;
  readonly model: ScriptedModel;
  readonly openSession: OpenTriedSession;
  readonly breaking?: BreakingPlugin | undefined;
  /** Checks the session each time after it was asked for a context. */
  readonly assembled: (session: () => Promise<ContextSession>) => Promise<void>;
}

/** One session of the host, as it runs now. */
export interface HistorySession {
  readonly id: string;
  readonly harness: ScriptedHarness;
  readonly plugin: ScriptedPlugin;
  turn(on: boolean): void;
  /** Returns the session that the adapter uses. */
  session(): Promise<ContextSession>;
  /** Opens the same session a second time, as another process would. */
  openAgain(): Promise<ContextSession>;
}

export function historySession(options: HistorySessionOptions): HistorySession {
  const { store, folder, saved, contextWindow } = options;
  const id = saved.sessionId;
  const openAgain = async (): Promise<ContextSession> => {
    const session = await options.openSession(
      { store, files: folder, workspace: folder.path },
      { harness: "scripted", sessionId: id },
    );
    // What may be shown depends on the host's tools, and each process names them.
    session.announceTools(["read"]);
    return session;
  };
  let opened: ContextSession | undefined;
  const session = async (): Promise<ContextSession> => (opened ??= await openAgain());
  const sound = scriptedAdapter({
    sessionId: id,
    openSession: session,
    notify: () => undefined,
    codec: scriptedCodecs[options.identifiedBy],
    ...defined({ contextWindow }),
  });
  const adapter = { ...sound, ...options.breaking?.(sound, session) };
  const plugin: ScriptedPlugin = {
    ...adapter,
    assemble: async (messages) => {
      const shown = await adapter.assemble(messages);
      await options.assembled(session);
      return shown;
    },
  };
  const harness = scriptedHarness({ model: options.model, folder, plugin, saved });
  return { id, harness, plugin, turn: (on) => sound.turn(on), session, openAgain };
}
