import { type OpenContext, piExtension } from "@self-context-manager/adapter-pi";
import { storeMask, systemClock, uuidIds } from "@self-context-manager/compose";
import { maskedFiles, silentLogger } from "@self-context-manager/core";
import { defined, sha256 } from "@self-context-manager/core/host";
import { openLoopbackModel } from "@self-context-manager/evaluate/loopback";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import {
  type Availability,
  breakableStore,
  type HarnessHost,
  type HostSettings,
  type OpenHost,
  openTriedSession,
  storedHashes,
  storedPrompts,
  storedTexts,
} from "@self-context-manager/testkit";
import { fileTracker } from "@self-context-manager/tracker";
import { diskFiles, watchFiles } from "@self-context-manager/watcher";

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { passThroughExtension } from "../pass-through-extension.ts";
import { forkSession, openPiSdk, type PiSdk, type PiSdkSession } from "../pi-sdk.ts";
import type { PiVersion } from "../pi-versions.ts";
import { openPiWorkspace } from "../pi-workspace.ts";
import { otherPiExtension } from "./other-pi-extension.ts";
import { piRecord } from "./pi-record.ts";
import { loopbackReply, neutralRequest } from "./pi-requests.ts";

const calls: HarnessHost["calls"] = {
  read: (path, lines) => ({ name: "read", arguments: { path, ...lines } }),
  show: (path) => ({ name: "bash", arguments: { command: `cat ${path}` } }),
  fail: (path) => ({ name: "bash", arguments: { command: `cat ${path}; exit 3` } }),
  picture: (path) => ({ name: "read", arguments: { path } }),
  write: (path, content) => ({ name: "write", arguments: { path, content } }),
};

/** Returns hosts that are Pi sessions in this process, with Pi's own tools, on a SQLite store. */
export function piHost(pi: PiVersion): OpenHost {
  return async (options) => {
    await using stack = new AsyncDisposableStack();
    let isToFail = false;
    let isRefused = false;
    const model = stack.use(
      await openLoopbackModel({
        script: (request) => {
          const reply = options.model(neutralRequest(request, workFolder()));
          isToFail = reply.fails === true;
          isRefused = reply.refuses !== undefined;
          return loopbackReply(reply);
        },
      }),
    );
    const workspace = stack.use(
      await openPiWorkspace({
        model,
        files: options.files,
        ...(options.thinking === "bound" ? { modelId: "claude-opus-5-5" } : {}),
        ...(options.compactsEagerly ? eagerCompaction : manualCompaction),
      }),
    );
    const availability: Availability = { isBroken: options.brokenStore };
    const databasePath = join(workspace.agentFolder, "store.sqlite");
    const notices: string[] = [];
    const extension =
      options.adapter === "absent"
        ? passThroughExtension
        : piExtension({
            openContext: openOn(databasePath, availability, options.settings),
            off: options.adapter === "off",
          });
    const open = async (sessionFile?: string): Promise<PiSdk> =>
      await openPiSdk({
        pi,
        workspace,
        factories: [
          ...(options.other === undefined ? [] : [otherPiExtension(options.other)]),
          extension,
        ],
        ui: { notify: (text: string) => void notices.push(text), setStatus: () => undefined },
        ...(sessionFile === undefined ? {} : { sessionFile }),
      });
    let sdk = await open();
    stack.defer(async () => await sdk[Symbol.asyncDispose]());

    function workFolder(): string {
      return workspace.workFolder;
    }

    async function prompt(text: string, images: readonly string[] = []): Promise<void> {
      await sdk.prompt(text, {
        images: images.map((data) => ({ type: "image", data, mimeType: "image/png" })),
      });
      const complaints = [...model.failures, ...sdk.errors];
      const ended = failuresIn(sdk.session);
      if (isToFail && ended.length === 0)
        complaints.push("the run succeeded, but it was scripted to fail");
      if (!isToFail && !isRefused) complaints.push(...ended);
      if (complaints.length > 0) throw new Error(complaints.join("\n"));
    }

    const opened = stack.move();
    return {
      settings: options.settings,
      calls,
      get requests() {
        return model.requests.map((request) => neutralRequest(request, workFolder()));
      },
      notices,
      prompt,
      record: async () => await piRecord(sdk.session, workFolder()),
      restart: async () => {
        const { sessionFile } = sdk.session;
        await sdk[Symbol.asyncDispose]();
        sdk = await open(sessionFile);
      },
      fork: async () => {
        const { sessionFile } = sdk.session;
        await sdk[Symbol.asyncDispose]();
        sdk = await open(await forkSession(pi, sessionFile ?? ""));
      },
      setBroken: (broken) => void (availability.isBroken = broken),
      turn: async (on) => await sdk.prompt(`/context ${on ? "on" : "off"}`),
      writeFile: async (path, text) => await writeFile(join(workFolder(), path), text),
      addOwnMessage: async (content) =>
        await own(sdk).sendCustomMessage({ customType: "contract", content, display: true }),
      changeUsage: async () => {
        // Pi sends its messages as they were recorded.
      },
      systemPrompts: async () => {
        await using store = await openSqliteStore({ path: databasePath });
        const prompts = await storedPrompts(store);
        return prompts.map((text) => text.replaceAll(workFolder(), "WORK"));
      },
      storedTexts: async () => {
        await using store = await openSqliteStore({ path: databasePath });
        return await storedTexts(store);
      },
      requestHashes: async () => {
        await using store = await openSqliteStore({ path: databasePath });
        return await storedHashes(store);
      },
      sentHashes: () => model.requests.map(({ body }) => sha256(body.toString("utf8"))),
      goBack: async (prompt) => {
        const session = own(sdk);
        const said = session.sessionManager
          .getBranch()
          .filter(({ type, message }) => type === "message" && message?.role === "user");
        await session.navigateTree(said[prompt]?.id ?? "", { summarize: false });
      },
      compact: async () => void (await sdk.session.compact()),
      archive: async () => await sdk.prompt("/context archive"),
      compactions: async () => {
        const file = await readFile(sdk.session.sessionFile ?? "", "utf8");
        return file.split('"type":"compaction"').length - 1;
      },
      [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
    };
  };
}

/** Settings with which Pi compacts only when the user asks for it, and keeps as little as it can. */
const manualCompaction = {
  settings: { compaction: { enabled: false, keepRecentTokens: 1 } },
} as const;

/** Settings with which Pi compacts as early as it can and keeps as little as it can. */
const eagerCompaction = {
  settings: { compaction: { enabled: true, reserveTokens: 19_000, keepRecentTokens: 1 } },
  contextWindow: 20_000,
} as const;

/** Opens sessions on a store that can be broken. */
function openOn(path: string, availability: Availability, settings: HostSettings): OpenContext {
  return async ({ host, workspace }) => {
    await using stack = new AsyncDisposableStack();
    const store = breakableStore(stack.use(await openSqliteStore({ path })), availability);
    const files = diskFiles();
    const ids = uuidIds(systemClock);
    const logger = silentLogger;
    const watcher = watchFiles({ roots: [workspace], logger });
    const mask = storeMask({ store: "sqlite", at: path }, {});
    const tracked = mask === undefined ? files : maskedFiles(files, mask);
    const tracker = stack.use(
      fileTracker({ store, files: tracked, ids, logger, workspace, watcher }),
    );
    // As Pi's entry point sets it: no release reports whether another extension changes what `read` returns.
    const place = {
      store,
      files,
      ids,
      workspace,
      tracker,
      activateUnread: "ask",
      ...defined({ mask }),
    } as const;
    const session = await openTriedSession(place, settings, host);
    const opened = stack.move();
    return {
      session,
      [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
    };
  };
}

/** The parts of a session that only these hosts use. */
interface DrivenSession {
  readonly sessionManager: {
    getBranch(): readonly {
      readonly id: string;
      readonly type: string;
      readonly message?: { readonly role: string };
    }[];
  };
  sendCustomMessage(message: {
    readonly customType: string;
    readonly content: string;
    readonly display: boolean;
  }): Promise<void>;
  navigateTree(id: string, options: { readonly summarize: boolean }): Promise<unknown>;
}

function own({ session }: PiSdk): DrivenSession {
  return session as PiSdkSession & DrivenSession;
}

/** Returns the failure of the last run. Pi resolves a prompt whose run failed, so the last message must show it. */
function failuresIn({ messages }: PiSdkSession): readonly string[] {
  const last = messages.at(-1) as { readonly role?: string; readonly stopReason?: string };
  return last.role === "assistant" && last.stopReason === "stop"
    ? []
    : [`the run ended with ${JSON.stringify(last)}`];
}
