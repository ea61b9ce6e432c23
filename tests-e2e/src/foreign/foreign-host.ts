import { sessionSettings } from "@self-context-manager/compose";
import {
  type ContextSession,
  type ObjectStore,
  openContextSession,
  silentLogger,
} from "@self-context-manager/core";
import { otherStoreText } from "@self-context-manager/core/host";
import { defined, objectId } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import {
  type ModelToolCall,
  type SavedSession,
  scriptedAdapter,
  type ScriptedAdapter,
  scriptedCodecs,
  scriptedHarness,
  type ScriptedHarness,
  type ScriptedModel,
  type ScriptedTool,
} from "@self-context-manager/testkit";

import { fileTracker, type FileTracker } from "@self-context-manager/tracker";
import { checkedStore } from "./checked-store.ts";
import { type CheckedRequest, checkRequest } from "./check-request.ts";
import { type ForeignSession, foreignSettings } from "./foreign-session.ts";
import { foreignRendering, foreignTools } from "./foreign-tools.ts";
import { everyHandle } from "./object-names.ts";
import type { OtherExtension } from "./other-extension.ts";
import type { SeenTexts } from "./seen-texts.ts";
import type { WatchedFolder } from "./watched-folder.ts";

/** Returns replacements for parts of a sound adapter. */
export type ForeignBreaking = (
  adapter: ScriptedAdapter,
  session: () => Promise<ContextSession>,
) => Partial<ScriptedAdapter>;

export interface ForeignHostOptions {
  readonly session: ForeignSession;
  readonly model: ScriptedModel;
  readonly files: WatchedFolder;
  readonly other: OtherExtension;
  readonly seen: SeenTexts;
  /** The outputs of commands. */
  readonly outputs: ReadonlyMap<string, string>;
  readonly breaking?: ForeignBreaking | undefined;
}

/** A scripted harness with the context manager and another extension. */
export interface ForeignHost {
  readonly harness: ScriptedHarness;
  /** What the checks found up to now. */
  readonly problems: readonly string[];
  /** Lets the tracker see changes of files. */
  notice(): Promise<void>;
  /** Lets the time pass after which the provider's cache is cold. */
  pause(): void;
  resume(on: "same" | "empty"): void;
}

/** Opens a host on a memory store. */
export function foreignHost(options: ForeignHostOptions): ForeignHost {
  const { session, files, other, seen } = options;
  const { folder } = files;
  const problems: string[] = [];
  const handles = everyHandle();
  let before: CheckedRequest["before"];
  let now = 1_700_000_000_000;
  let count = 0;
  const clock = { now: () => now };
  const ids = {
    next: () => objectId(`0190aaaa-0000-7000-8000-${String((count += 1)).padStart(12, "0")}`),
  };
  const newStore = (): ObjectStore =>
    checkedStore(memoryStore({ clock }), {
      seen,
      isAsking: session.activateUnread === "ask",
      report: (problem) => void problems.push(problem),
    });
  let store = newStore();
  let current = open();

  function open(saved?: SavedSession): {
    readonly harness: ScriptedHarness;
    readonly tracker: FileTracker | undefined;
  } {
    const workspace = folder.path;
    const parts = { store, files: folder, ids, logger: silentLogger, workspace };
    const tracker = session.isWatched
      ? fileTracker({ ...parts, watcher: files.watcher() })
      : undefined;
    let opened: ContextSession | undefined;
    const openSession = async (): Promise<ContextSession> =>
      (opened ??= await openContextSession(
        {
          ...parts,
          clock,
          ...sessionSettings({
            ...foreignSettings[session.settings],
            activateUnread: session.activateUnread,
          }),
          ...(tracker === undefined ? {} : { tracker }),
        },
        { harness: "scripted", sessionId: "scripted-1" },
      ));
    const sound = scriptedAdapter({
      sessionId: "scripted-1",
      openSession,
      notify: (text) => {
        // Some sessions are resumed on an empty store.
        if (text !== otherStoreText()) problems.push(`the user is notified: ${text}`);
      },
      codec: { ...scriptedCodecs[session.identifiedBy], fileRendering: foreignRendering },
      ...(session.contextWindow === undefined ? {} : { contextWindow: session.contextWindow }),
    });
    const adapter = { ...sound, ...options.breaking?.(sound, openSession) };
    const harness: ScriptedHarness = scriptedHarness({
      model: options.model,
      folder,
      ...(saved === undefined ? {} : { saved }),
      tools: foreignTools(folder, options.outputs, seen.reports).map((tool) =>
        hostTool(tool, folder, other),
      ),
      plugin: {
        ...adapter,
        tools: () => adapter.tools().map((tool) => rewritten(tool, other)),
        beforeTool: async (call) =>
          other.blocks(call) ? "another extension blocks this" : await adapter.beforeTool(call),
        afterTool: async (call, output) => {
          await adapter.afterTool(call, output);
          await recordMore(await openSession(), call, output.failed);
        },
        assemble: async (messages) => {
          const list = other.list(messages);
          seen.takeList(list.sent);
          const view = await adapter.assemble(list.sent, messages);
          if (view === undefined) return list.sent;
          const { objects } = await (await openSession()).status();
          handles.note(objects);
          const found = checkRequest({
            view,
            list,
            ...defined({ before }),
            seen,
            objects,
            handles,
            files,
            session,
          });
          problems.push(...found);
          before = { view, own: [...messages] };
          return view;
        },
      },
    });
    return { harness, tracker };
  }

  return {
    get harness() {
      return current.harness;
    },
    problems,
    notice: async () => await current.tracker?.check(),
    pause: () => void (now += 3_600_000),
    resume(on) {
      if (on === "empty") store = newStore();
      current = open(current.harness.save());
    },
  };
}

/** Returns a tool of the host whose results and files another extension changes. */
function hostTool(
  tool: ScriptedTool,
  folder: WatchedFolder["folder"],
  other: OtherExtension,
): ScriptedTool {
  const isWriter = tool.name === "write" || tool.name === "edit";
  return rewritten(
    {
      name: tool.name,
      run: async (input, callId) => {
        const output = await tool.run(input, callId);
        const path = input["path"];
        const more = isWriter ? other.format() : "";
        if (typeof path === "string" && more !== "")
          folder.set(path, `${String(folder.get(path))}${more}`);
        return output;
      },
    },
    other,
  );
}

function rewritten(tool: ScriptedTool, other: OtherExtension): ScriptedTool {
  return {
    name: tool.name,
    run: async (input, callId) => {
      const output = await tool.run(input, callId);
      const call = { id: callId, name: tool.name, arguments: input };
      return { ...output, text: other.resultText(call, output.text) };
    },
  };
}

/** Records what the adapter of the scripted harness does not record: edits, named files, and reads that failed. */
async function recordMore(
  session: ContextSession,
  { id: callId, name, arguments: args }: ModelToolCall,
  failed: boolean,
): Promise<void> {
  const { path, command } = args;
  if (name === "edit" && !failed && typeof path === "string")
    await session.recordWrite(path, { callId, args });
  if (name === "read" && failed && typeof path === "string")
    await session.recordRead(path, { callId });
  if (name === "bash" && typeof command === "string" && command.startsWith("cat "))
    await session.recordNamed([command.slice(4)], { callId });
}
