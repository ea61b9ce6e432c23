import { openContextManager } from "@self-context-manager/compose";
import { fieldsOf, jsonObject } from "@self-context-manager/core/host";
import { memoryFolder } from "@self-context-manager/testkit";

import { textsOf } from "../src/message-texts.ts";
import type { AssembleParameters, SessionEntry } from "../src/openclaw-api.ts";
import type { OpenClawMessage } from "../src/openclaw-messages.ts";
import { type OpenClawRuntime, openClawRuntime } from "../src/openclaw-runtime.ts";

/** A call of the model, with the text of its result. */
export interface FakeCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Default: the call runs a context tool. */
  readonly result?: string;
}

export interface FakeGatewayOptions {
  readonly files?: Readonly<Record<string, string>>;
  /** What happens to the texts of a request, in addition to the adapter's transform or instead of it. */
  readonly transform?: (text: string, own: (text: string) => string) => string;
  readonly isOff?: boolean;
  /** Runs before a session is opened. */
  readonly open?: () => Promise<void>;
  /** Runs when the store is closed. */
  readonly close?: () => Promise<void>;
  /** What the host shows of the messages before a turn. Default: all of them. */
  readonly history?: (messages: readonly OpenClawMessage[]) => readonly OpenClawMessage[];
  /** What the host changes in a request before the texts pass. Default: nothing. */
  readonly limit?: (messages: readonly OpenClawMessage[]) => readonly OpenClawMessage[];
  /** The tools that the model has. Default: the context tools. */
  readonly tools?: ReadonlySet<string>;
}

/** What the model gets. */
export interface FakeRequest {
  readonly instruction: string;
  /** The texts of all messages, in their order. */
  readonly texts: readonly string[];
  /** The ids of all calls and results, in their order. */
  readonly callIds: readonly unknown[];
}

/** A gateway that calls the adapter as OpenClaw does, in one process. */
export interface FakeGateway extends AsyncDisposable {
  readonly runtime: OpenClawRuntime;
  readonly warnings: readonly string[];
  /** The ids of the sessions that were opened, in their order. */
  readonly opened: readonly string[];
  /** The session's record in the host, which a reset changes. */
  entry: SessionEntry;
  /** The host's messages of the session. */
  messages: OpenClawMessage[];
  /** Runs a turn in which the model makes these calls, one after another. Returns its requests. */
  turn(text: string, calls?: readonly FakeCall[], key?: string): Promise<readonly FakeRequest[]>;
}

const tools = new Set(["read", "exec", "activate", "deactivate", "pin", "unpin"]);

export async function fakeGateway(options: FakeGatewayOptions = {}): Promise<FakeGateway> {
  const folder = memoryFolder(options.files ?? {});
  const manager = await openContextManager({
    store: "memory",
    workspace: folder.path,
    files: folder,
  });
  const warnings: string[] = [];
  const opened: string[] = [];
  const lists = new Map<string, OpenClawMessage[]>();
  let run: string | undefined;
  let clock = 1_700_000_000_000;
  let runs = 0;
  const warn = (text: string): void => void warnings.push(text);
  const gateway: FakeGateway = {
    runtime: openClawRuntime({
      openSession: async (sessionId) => {
        await options.open?.();
        opened.push(sessionId);
        return await manager.openSession({ harness: "openclaw", sessionId });
      },
      close: async () => {
        await manager[Symbol.asyncDispose]();
        await options.close?.();
      },
      storePlace: () => ({ kind: "sqlite", at: "/data/store.sqlite" }),
      sdk: {
        run: () => run,
        memoryPrompt: () => "Memory.",
        transcript: async ({ sessionKey }) => await Promise.resolve(listOf(sessionKey)),
        compact: async () => await Promise.resolve({ ok: true, compacted: false }),
      },
      logger: { info: () => undefined, warn, error: warn },
      config: () => ({}),
      workspaceOf: () => folder.path,
      entryOf: () => gateway.entry,
      ...(options.isOff === undefined ? {} : { isOff: options.isOff }),
    }),
    warnings,
    opened,
    entry: {},
    get messages() {
      return listOf("agent:main:one");
    },
    set messages(messages) {
      lists.set("agent:main:one", messages);
    },
    turn,
    [Symbol.asyncDispose]: async () => await gateway.runtime.close(),
  };
  return gateway;

  function listOf(key: string): OpenClawMessage[] {
    const list = lists.get(key) ?? [];
    lists.set(key, list);
    return list;
  }

  async function turn(
    text: string,
    calls: readonly FakeCall[] = [],
    sessionKey = "agent:main:one",
  ): Promise<readonly FakeRequest[]> {
    const { runtime } = gateway;
    const context = { sessionKey };
    const written = [...listOf(sessionKey)];
    const earlier = options.history?.(written) ?? written;
    const requests: FakeRequest[] = [];
    runs += 1;
    const ownRun = `run ${runs}`;
    run = ownRun;
    const write = (message: OpenClawMessage): void => {
      listOf(sessionKey).push(message);
      runtime.written(message, context);
    };
    write({ role: "user", content: text, timestamp: (clock += 1000) });
    const prompt = pass(`You are an agent. ${"Rules. ".repeat(200)}`);
    const parameters: AssembleParameters = {
      sessionId: "s1",
      sessionKey,
      messages: earlier,
      availableTools: options.tools ?? tools,
    };
    const begun = { ...parameters, runtimeContext: {} };
    const first = await runtime.assemble(begun, {});
    const instruction = `${prompt}\n${first.systemPromptAddition ?? ""}`;
    for (const [index, call] of [...calls, undefined].entries()) {
      run = ownRun;
      const { messages } = await runtime.assemble(parameters, {});
      run = ownRun;
      const listed = [...messages, ...listOf(sessionKey).slice(written.length)];
      const request = (options.limit?.(listed) ?? listed).map(stamped);
      const texts = request.flatMap(textsOf).map(pass);
      await Promise.resolve();
      requests.push({ instruction, texts, callIds: request.flatMap(callIdsOf) });
      runtime.callEnded(context, JSON.stringify([instruction, texts]).length);
      await answer(call, `c_${index}`);
    }
    await runtime.turnEnded(context, ownRun);
    return requests;

    async function answer(call: FakeCall | undefined, id: string): Promise<void> {
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
      const shared = { role: "assistant", usage, timestamp: (clock += 1000) };
      if (call === undefined) {
        write({ ...shared, content: [{ type: "text", text: "done" }], stopReason: "stop" });
        return;
      }
      const { name, args } = call;
      const content = [{ type: "toolCall", id, name, arguments: args }];
      write({ ...shared, content, stopReason: "toolUse" });
      const reason = await runtime.beginTool({ id, name, args: jsonObject(args) }, context);
      const made =
        call.result === undefined
          ? await runtime.runContextTool(name, { id, args }, context)
          : { text: reason ?? call.result, isError: reason !== undefined };
      const blocks = [{ type: "text", text: made.text }];
      const result = { content: blocks };
      const event = { toolCallId: id, toolName: name, args, isError: made.isError, result };
      await runtime.endTool(event, context);
      write({
        role: "toolResult",
        toolCallId: id,
        toolName: name,
        content: blocks.map((block) => ({ ...block, text: capped(block.text) })),
        isError: made.isError,
        timestamp: (clock += 1000),
      });
    }
  }

  function pass(text: string): string {
    const own = (one: string): string => gateway.runtime.replaceText(one);
    return options.transform?.(text, own) ?? own(text);
  }
}

function callIdsOf({ content, toolCallId }: OpenClawMessage): readonly unknown[] {
  if (toolCallId !== undefined) return [toolCallId];
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.map((block) => fieldsOf(block)["id"]).filter((id) => id !== undefined);
}

/** The host cuts long results. */
function capped(text: string): string {
  const most = 20_000;
  if (text.length <= most) return text;
  const rest = text.length - most;
  return `${text.slice(0, most)}[... ${rest} more characters truncated; rerun with narrower args]`;
}

/** The host writes the time before the text of a user. */
function stamped(message: OpenClawMessage): OpenClawMessage {
  return message.role === "user" && typeof message["content"] === "string"
    ? { ...message, content: `[Thu 2026-11-26 03:00 UTC] ${message["content"]}` }
    : message;
}
