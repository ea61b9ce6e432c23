import { standingInstruction } from "@self-context-manager/core";
import {
  type HarnessLaw,
  type OpenHost,
  scriptedAdapter,
  scriptedCodec,
  scriptedCodecs,
  type ScriptedMessage,
  wordsOf,
} from "@self-context-manager/testkit";

import {
  broken,
  ignoring,
  isActiveContents,
  neverForgetting,
  onResume,
  outputsReversed,
  reading,
  sending,
  withoutDetails,
  withoutRecording,
  withAnswers,
  withTool,
} from "./faulty-adapters.ts";
import { memoryMask, scriptedHost } from "./scripted-host.ts";

const { fingerprints } = scriptedCodecs;

/** Faults by the law that each breaks: a description of the adapter, and hosts with it. */
export const harnessFaults: Readonly<Record<HarnessLaw, Readonly<Record<string, OpenHost>>>> = {
  "results-are-references": {
    "sends outputs in addition to their references": sending((view, messages) =>
      view.map((message) => withOutput(message, messages)),
    ),
    "does not replace failed outputs by references": sending((view, messages) =>
      view.map((message) =>
        message.kind === "output" && message.failed ? withOutput(message, messages) : message,
      ),
    ),
  },
  "active-content-is-shown": {
    "shows active contents twice": sending((view) => [...view, ...view.filter(isActiveContents)]),
    "leaves active contents out": sending((view) => view.filter((one) => !isActiveContents(one))),
  },
  "read-shows-the-file-once": { "ignores reads": ignoring("read") },
  "written-file-is-refreshed": { "ignores writes": ignoring("write") },
  "stand-ins-are-not-written": {
    "lets every call run": broken(() => ({ beforeTool: async () => undefined })),
    "stops every write": broken(() => ({
      beforeTool: async ({ name }) => (name === "write" ? "it may have a stub" : undefined),
    })),
    "checks only whole arguments": broken((adapter) => ({
      beforeTool: async (call) =>
        /^"\[[^\]]*\]"$/u.test(JSON.stringify(call.arguments["text"]))
          ? await adapter.beforeTool(call)
          : undefined,
    })),
    "stops only stubs of known files": broken((adapter) => ({
      beforeTool: async (call) =>
        JSON.stringify(call.arguments).includes("f99") ? undefined : await adapter.beforeTool(call),
    })),
    "stops stubs that the file has already": broken((adapter) => ({
      beforeTool: async (call) =>
        (await adapter.beforeTool(call)) ??
        (/, now in /u.test(JSON.stringify(call.arguments["text"])) ? "it has a stub" : undefined),
    })),
  },
  "secrets-are-marks": {
    "stores texts as they are": scriptedHost({ maskedBy: () => undefined }),
    "sends the marks": scriptedHost({ maskedBy: (mask) => ({ ...mask, reveal: (text) => text }) }),
    "gives the bytes to a text that quotes a mark": scriptedHost({
      maskedBy: (mask) => ({
        ...mask,
        hide: (text, onFound) =>
          text.startsWith("what is [secret: ") ? text : mask.hide(text, onFound),
      }),
    }),
    "does not keep the bytes for the next process": scriptedHost({ maskedBy: () => memoryMask() }),
  },
  "deactivated-is-gone": {
    "reports a deactivation without deactivating": withTool("deactivate", async () => undefined),
    "activates everything when a session is resumed": onResume(
      async (session, handle) => await session.activate(handle),
    ),
  },
  "pinned-stays": {
    "activates an object instead of pinning it": withTool(
      "pin",
      async (session, target) => await session.activate(target),
    ),
    "forgets pins when a session is resumed": onResume(async (session, handle) => {
      await session.unpin(handle);
    }),
  },
  "activate-brings-back": {
    "reports an activation without activating": withTool("activate", async () => undefined),
    "does not offer the context tools to the model": async (options) =>
      await scriptedHost()({
        ...options,
        model: (request) =>
          options.model({ ...request, tools: request.tools.filter((name) => name !== "activate") }),
      }),
  },
  "opened-is-as-it-was": {
    "opens a turn without the arguments of its calls": withAnswers("activate", {
      text: (text) => text.replaceAll(/^\{.*\}$/gmu, "{}"),
    }),
    "opens the lines of another turn": withAnswers("activate", {
      args: (args) => (args["turn"] === 1 ? { ...args, turn: 2 } : args),
    }),
    "does not close what was opened": withAnswers("deactivate", {
      args: (args) => (args["id"] === "chat" ? { id: "f999" } : args),
    }),
  },
  "pairing-is-legal": {
    "leaves out the results of failed tool calls": sending((view) =>
      view.filter((message) => message.kind !== "output" || !message.failed),
    ),
    "sends results in reverse order": sending(outputsReversed),
  },
  "repeated-ids-are-other-calls": {
    "sends each call with the id of the first": sending((view) =>
      view.map(
        (message) =>
          JSON.parse(JSON.stringify(message).replaceAll(/"same_\d"/gu, '"same"')) as typeof message,
      ),
    ),
    "does not send the second result of an id": sending((view) =>
      view.filter((message) => !JSON.stringify(message).includes('"same_2"')),
    ),
  },
  "failed-answers-follow-the-host": {
    "treats an incomplete answer as a complete one": reading({
      decode: (message) =>
        scriptedCodec.decode(message.kind === "model" ? { ...message, failed: false } : message),
    }),
  },
  "images-survive": {
    "drops the user's images": reading({
      decode: (message) =>
        scriptedCodec.decode(message.kind === "human" ? { ...message, pictures: [] } : message),
    }),
    "drops the images of tools": reading({
      decode: (message) =>
        scriptedCodec.decode(message.kind === "output" ? { ...message, pictures: [] } : message),
    }),
  },
  "newest-user-message-is-there": {
    "ingests a prompt only after it was answered": broken((adapter) => ({
      assemble: async (messages) =>
        await adapter.assemble(
          messages.filter(({ kind }, index) => kind !== "human" || index < messages.length - 1),
        ),
    })),
    "treats equal prompts as one": sending((view) =>
      view.filter(
        ({ kind, text }, index) =>
          kind !== "human" || view.findIndex((other) => other.text === text) === index,
      ),
    ),
  },
  "instruction-is-constant": {
    "adds the number of the request to the instruction": broken((adapter) => {
      let count = 0;
      return {
        instruction: async (text) => `${await adapter.instruction(text)} ${(count += 1)}`,
      };
    }),
    "adds the instruction twice": broken((adapter) => ({
      instruction: async (text) => await adapter.instruction(await adapter.instruction(text)),
    })),
    "offers its tools only from the second request on": broken((adapter) => {
      let count = 0;
      return {
        assemble: async (messages) => {
          count += 1;
          return await adapter.assemble(messages);
        },
        tools: () => (count > 1 ? adapter.tools() : []),
      };
    }),
  },
  "system-prompts-are-recorded": {
    "does not record the host's prompt": withoutRecording(["host"]),
    "does not record its own prompt": withoutRecording(["own"]),
    "records no prompt": withoutRecording(["host", "own"]),
    "sends no system prompt": broken(() => ({ instruction: async () => "" })),
  },
  "requests-have-their-hash": {
    "does not show the requests to the connection": broken(() => ({ sends: () => undefined })),
    "shows only a part of the requests": broken((adapter) => ({
      sends: ({ system = null }) => adapter.sends({ system }),
    })),
    "shows another request than the provider gets": broken((adapter) => ({
      sends: (payload) => void adapter.sends({ ...payload, stream: true }),
    })),
  },
  "reasoning-is-kept": {
    "drops the model's thinking when it reads an answer": reading({
      decode: (message) => scriptedCodec.decode(withoutThinking(message)),
    }),
    "drops the thinking from the messages that it sends": sending((view) =>
      view.map(withoutThinking),
    ),
  },
  "signed-thinking-stays-valid": {
    "sends the thinking that the view has left out": sending((view, messages) =>
      view.map((message) => withThinking(message, messages)),
    ),
    "does not say that the model binds its thinking": broken((_, { session, notify }) =>
      scriptedAdapter({ sessionId: "scripted-1", openSession: session, notify }),
    ),
  },
  "unknown-messages-pass": {
    "leaves out unknown messages": sending((view) => view.filter(({ kind }) => kind !== "note")),
    "puts unknown messages at the end": sending((view) => [
      ...view.filter(({ kind }) => kind !== "note"),
      ...view.filter(({ kind }) => kind === "note"),
    ]),
    "changes the text of unknown messages": sending((view) =>
      view.map((one) => (one.kind === "note" ? { ...one, text: `${one.text} (note)` } : one)),
    ),
  },
  "host-record-is-untouched": {
    "writes references into the host's own messages": sending((view, messages) => {
      for (const message of messages) {
        const reference = view.find((one) => isOutputOf(one, message));
        if (reference !== undefined) Object.assign(message, { text: reference.text });
      }
      return view;
    }),
    "replaces the host's list by the view": sending((view, messages) => {
      (messages as ScriptedMessage[]).splice(0, messages.length, ...view);
      return view;
    }),
  },
  "details-are-recorded": Object.fromEntries(
    ["activate", "deactivate", "pin", "unpin", "read"].map((name) => [
      `records the results of ${name} without their details`,
      withoutDetails(name),
    ]),
  ),
  "failure-lets-through": {
    "ends the run": broken((adapter, { session }) => ({
      assemble: async (messages) => {
        await session();
        return await adapter.assemble(messages);
      },
    })),
    "sends an empty list of messages": broken((adapter) => ({
      assemble: async (messages) => (await adapter.assemble(messages)) ?? [],
    })),
    "does not recover when the store is available again": broken((adapter) => {
      let hasFailed = false;
      return {
        assemble: async (messages) => {
          const view = hasFailed ? undefined : await adapter.assemble(messages);
          hasFailed ||= view === undefined;
          return view;
        },
      };
    }),
    "ingests only messages that arrive after the failure": broken((adapter) => {
      let missed = 0;
      return {
        assemble: async (messages) => {
          const view = await adapter.assemble(messages.slice(missed));
          if (view === undefined) missed = messages.length;
          return view;
        },
      };
    }),
  },
  "failure-is-notified-once": {
    "notifies the user at every request": broken((adapter, { session, notify }) => ({
      assemble: async (messages) => {
        await session().catch((error: unknown) => notify(String(error)));
        return await adapter.assemble(messages);
      },
    })),
    "does not notify the user": broken((_, { session }) =>
      scriptedAdapter({
        sessionId: "scripted-1",
        openSession: session,
        notify: () => undefined,
      }),
    ),
    "notifies the user without a failure": broken((adapter, { notify }) => ({
      assemble: async (messages) => {
        if (messages.length === 1) notify("all is well");
        return await adapter.assemble(messages);
      },
    })),
  },
  "silent-store-delays-nothing": {
    "waits until the store answers": broken((_, { session, notify }) =>
      scriptedAdapter({ sessionId: "scripted-1", openSession: session, notify }),
    ),
  },
  "off-switch-passes-through": {
    "adds the instruction while it is off": broken(() => ({
      instruction: async (text) => `${text}\n\n${standingInstruction}`,
    })),
    "offers its tools while it is off": broken((adapter) => {
      const tools = adapter.tools();
      return { tools: () => tools };
    }),
    "cannot be switched on again": broken((adapter) => ({
      turn: (on) => (on ? undefined : adapter.turn(on)),
    })),
  },
  "resume-is-identical": {
    "identifies messages by the host's names of roles": reading({
      identify: ({ kind, at }) => ({ role: kind, timestamp: at }),
    }),
    "opens a session with another id": broken((_, { open, notify, openings }) =>
      scriptedAdapter({ sessionId: `scripted-${openings}`, openSession: open, notify }),
    ),
  },
  "resent-messages-are-known": {
    "makes the usage a part of a message's fingerprint": scriptedHost({
      codec: {
        ...fingerprints,
        identify: (message) => ({
          ...fingerprints.identify(message),
          fingerprint: JSON.stringify({ ...message, id: "", at: 0 }),
        }),
      },
    }),
    "makes the usage a part of a message's id": reading({
      identify: (message) => ({
        ...scriptedCodec.identify(message),
        key: `${message.id} ${message.kind === "model" ? message.tokens : ""}`,
      }),
    }),
  },
  "branch-is-followed": {
    "sends messages of the branch that the user has abandoned": broken(neverForgetting),
  },
  "beginning-is-followed": {
    "does not pass the report that the user went back": broken(() => ({
      wentBack: () => undefined,
    })),
  },
  "fork-keeps-contents": {
    ...Object.fromEntries(
      ["deactivate", "unpin"].map((name) => [
        `records the results of ${name} without their details`,
        withoutDetails(name),
      ]),
    ),
    "loses what a file contains in a fork": broken((adapter, { openings }) =>
      openings === 1
        ? {}
        : {
            assemble: async (messages, own) =>
              (await adapter.assemble(messages, own))?.map((message) => ({
                ...message,
                text: message.text.replaceAll(wordsOf("a"), ""),
              })),
          },
    ),
  },
  "compaction-keeps-the-view": {
    "leaves the summary to the host": broken(() => ({ summary: async () => undefined })),
    "treats its own summary as the user's": reading({
      decode: (message) => {
        const decoded = scriptedCodec.decode(message);
        return decoded.role === "summary" ? { ...decoded, isFromManager: false } : decoded;
      },
    }),
  },
  "results-are-as-given": {
    "shows a text that another extension has replaced": sending((view) =>
      view.map((message) => ({
        ...message,
        text: message.text.replaceAll("[masked]", wordsOf("a")),
      })),
    ),
    "reads a file instead of taking the result": broken((adapter, { session }) => ({
      afterTool: async (call, output) => {
        if (call.name === "read") await (await session()).read({ path: "a.txt" });
        await adapter.afterTool(call, output);
      },
    })),
  },
  "request-changes-are-followed": {
    "takes added messages into the history": broken((adapter) => ({
      assemble: async (messages) => await adapter.assemble(messages),
    })),
    "keeps what others append to a message": broken((adapter) => ({
      assemble: async (messages, own = []) => {
        const sent = new Map(messages.map((message) => [message.id, message]));
        return await adapter.assemble(
          messages,
          own.map((message) => sent.get(message.id) ?? message),
        );
      },
    })),
    "ignores what others did": broken((adapter) => ({
      assemble: async (_, own = []) => await adapter.assemble(own),
    })),
    "shows messages that others left out": broken((adapter) => ({
      assemble: async (messages, own = []) => {
        const added = messages.filter((message) => !own.includes(message));
        return await adapter.assemble([...own, ...added], own);
      },
    })),
  },
  "no-more-than-the-host": {
    "sends each result twice": sending((view) =>
      view.map((one) =>
        one.kind === "output" ? { ...one, text: `${one.text}\n${one.text}` } : one,
      ),
    ),
    "reads a file again when it changes": broken((adapter, { session }) => ({
      assemble: async (messages, own) => {
        await (await session()).read({ path: "log.txt" });
        return await adapter.assemble(messages, own);
      },
    })),
  },
  "refusal-lowers-the-budget": {
    "does not report refused requests": broken((adapter) => ({
      assemble: async (messages) => await adapter.assemble(messages.map(withoutError)),
    })),
    "reports every refusal as another error": broken((adapter) => ({
      assemble: async (messages) =>
        await adapter.assemble(
          messages.map((one) => ("error" in one ? { ...one, error: "overloaded" } : one)),
        ),
    })),
  },
  "compaction-by-the-user-frees": {
    "treats the user's summary as its own": reading({
      decode: (message) => {
        const decoded = scriptedCodec.decode(message);
        return decoded.role === "summary" ? { ...decoded, isFromManager: true } : decoded;
      },
    }),
  },
  "archived-is-named": {
    "archives nothing": broken(() => ({ archive: async () => undefined })),
    "archives without the last answer": broken((_, { session }) => ({
      archive: async () => void (await (await session()).archive()),
    })),
    "leaves the line out": sending((view) =>
      view.filter(({ text }) => !text.includes("is archived as")),
    ),
    "sends the host's prompts too": sending((view, messages) => [
      ...messages.filter(({ id, kind }) => kind === "human" && view.every((one) => one.id !== id)),
      ...view,
    ]),
    "does not find that the user went back": broken((adapter) => ({
      wentBack: () => undefined,
      assemble: async (messages) =>
        (await adapter.assemble(messages))?.filter(({ text }) => text !== "look"),
    })),
  },
};

function withoutThinking(message: ScriptedMessage): ScriptedMessage {
  if (message.kind !== "model") return message;
  const { thinking: _, ...rest } = message;
  return rest;
}

function withoutError(message: ScriptedMessage): ScriptedMessage {
  if (message.kind !== "model") return message;
  const { error: _, ...rest } = message;
  return rest;
}

function withThinking(
  message: ScriptedMessage,
  messages: readonly ScriptedMessage[],
): ScriptedMessage {
  const own = messages.find(({ kind, at }) => kind === message.kind && at === message.at);
  return own?.kind === "model" ? { ...message, ...own, text: message.text } : message;
}

function withOutput(
  message: ScriptedMessage,
  messages: readonly ScriptedMessage[],
): ScriptedMessage {
  const own = messages.find((one) => isOutputOf(message, one));
  return own === undefined ? message : { ...message, text: `${message.text}\n${own.text}` };
}

function isOutputOf(one: ScriptedMessage, other: ScriptedMessage): boolean {
  return one.kind === "output" && other.kind === "output" && one.callId === other.callId;
}
