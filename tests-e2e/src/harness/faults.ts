import { standingInstruction } from "@self-context-manager/core";
import {
  type HarnessLaw,
  type OpenHost,
  scriptedAdapter,
  scriptedCodec,
  type ScriptedMessage,
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
  withTool,
} from "./faulty-adapters.ts";

/** Faults by the law that each breaks: a sentence about the adapter, and hosts with it. */
export const harnessFaults: Readonly<Record<HarnessLaw, Readonly<Record<string, OpenHost>>>> = {
  "results-are-references": {
    "sends outputs beside their references": sending((view, messages) =>
      view.map((message) => withOutput(message, messages)),
    ),
    "leaves failed outputs as they are": sending((view, messages) =>
      view.map((message) =>
        message.kind === "output" && message.failed ? withOutput(message, messages) : message,
      ),
    ),
  },
  "active-content-is-shown": {
    "shows active contents twice": sending((view) => [...view, ...view.filter(isActiveContents)]),
    "leaves active contents out": sending((view) => view.filter((one) => !isActiveContents(one))),
  },
  "read-shows-the-file-once": { "does not look at reads": ignoring("read") },
  "written-file-is-refreshed": { "does not look at writes": ignoring("write") },
  "deactivated-is-gone": {
    "says that it deactivated, and did not": withTool("deactivate", async () => undefined),
    "activates everything when a session is resumed": onResume(
      async (session, handle) => await session.activate(handle),
    ),
  },
  "pinned-stays": {
    "activates what it is to pin": withTool(
      "pin",
      async (session, target) => await session.activate(target),
    ),
    "forgets pins when a session is resumed": onResume(async (session, handle) => {
      await session.unpin(handle);
    }),
  },
  "activate-brings-back": {
    "says that it activated, and did not": withTool("activate", async () => undefined),
  },
  "pairing-is-legal": {
    "leaves out results of failed calls": sending((view) =>
      view.filter((message) => message.kind !== "output" || !message.failed),
    ),
    "sends results in the order of their end": sending(outputsReversed),
  },
  "failed-answers-follow-the-host": {
    "takes an answer that broke off for a whole one": reading({
      decode: (message) =>
        scriptedCodec.decode(message.kind === "model" ? { ...message, failed: false } : message),
    }),
  },
  "images-survive": {
    "drops the user's pictures": reading({
      decode: (message) =>
        scriptedCodec.decode(message.kind === "human" ? { ...message, pictures: [] } : message),
    }),
    "drops the pictures of tools": reading({
      decode: (message) =>
        scriptedCodec.decode(message.kind === "output" ? { ...message, pictures: [] } : message),
    }),
  },
  "newest-user-message-is-there": {
    "takes in a prompt when it has been answered": broken((adapter) => ({
      assemble: async (messages) =>
        await adapter.assemble(
          messages.filter(({ kind }, index) => kind !== "human" || index < messages.length - 1),
        ),
    })),
    "takes equal prompts for one": sending((view) =>
      view.filter(
        ({ kind, text }, index) =>
          kind !== "human" || view.findIndex((other) => other.text === text) === index,
      ),
    ),
  },
  "instruction-is-constant": {
    "counts requests in the instruction": broken((adapter) => {
      let count = 0;
      return {
        instruction: async (text) => `${await adapter.instruction(text)} ${(count += 1)}`,
      };
    }),
    "adds the instruction to itself": broken((adapter) => ({
      instruction: async (text) => await adapter.instruction(await adapter.instruction(text)),
    })),
    "offers its tools from the second request on": broken((adapter) => {
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
  "unknown-messages-pass": {
    "leaves out what it does not know": sending((view) =>
      view.filter(({ kind }) => kind !== "note"),
    ),
    "puts what it does not know at the end": sending((view) => [
      ...view.filter(({ kind }) => kind !== "note"),
      ...view.filter(({ kind }) => kind === "note"),
    ]),
    "says what it does not know in words of its own": sending((view) =>
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
    "puts what the model sees into the host's list": sending((view, messages) => {
      (messages as ScriptedMessage[]).splice(0, messages.length, ...view);
      return view;
    }),
  },
  "failure-lets-through": {
    "ends the run": broken((adapter, { session }) => ({
      assemble: async (messages) => {
        await session();
        return await adapter.assemble(messages);
      },
    })),
    "sends nothing": broken((adapter) => ({
      assemble: async (messages) => (await adapter.assemble(messages)) ?? [],
    })),
    "never comes back": broken((adapter) => {
      let hasFailed = false;
      return {
        assemble: async (messages) => {
          const view = hasFailed ? undefined : await adapter.assemble(messages);
          hasFailed ||= view === undefined;
          return view;
        },
      };
    }),
    "takes in only what came after": broken((adapter) => {
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
    "tells it at every request": broken((adapter, { session, notify }) => ({
      assemble: async (messages) => {
        await session().catch((error: unknown) => notify(String(error)));
        return await adapter.assemble(messages);
      },
    })),
    "tells nobody": broken((_, { session }) =>
      scriptedAdapter({
        sessionId: "scripted-1",
        openSession: session,
        notify: () => undefined,
      }),
    ),
    "tells of what is no failure": broken((adapter, { notify }) => ({
      assemble: async (messages) => {
        if (messages.length === 1) notify("all is well");
        return await adapter.assemble(messages);
      },
    })),
  },
  "off-switch-passes-through": {
    "instructs the model all the same": broken(() => ({
      instruction: async (text) => `${text}\n\n${standingInstruction}`,
    })),
    "keeps its tools on offer": broken((adapter) => {
      const tools = adapter.tools();
      return { tools: () => tools };
    }),
    "cannot be switched on again": broken((adapter) => ({
      turn: (on) => (on ? undefined : adapter.turn(on)),
    })),
  },
  "resume-is-identical": {
    "tells roles by the host's own names": reading({
      identify: ({ kind, at }) => ({ role: kind, timestamp: at }),
    }),
    "opens the session of another id": broken((_, { open, notify, openings }) =>
      scriptedAdapter({ sessionId: `scripted-${openings}`, openSession: open, notify }),
    ),
  },
  "branch-is-followed": { "sends what the user has left": broken(neverForgetting) },
  "compaction-keeps-the-view": {
    "leaves the summary to the host": broken(() => ({ summary: async () => undefined })),
    "takes its own summary for the user's": reading({
      decode: (message) => {
        const decoded = scriptedCodec.decode(message);
        return decoded.role === "summary" ? { ...decoded, isFromManager: false } : decoded;
      },
    }),
  },
};

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
