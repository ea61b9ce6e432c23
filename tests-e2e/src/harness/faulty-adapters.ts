import type { ContextSession } from "@self-context-manager/core";
import type { MessageCodec } from "@self-context-manager/core/host";
import type { JsonObject } from "@self-context-manager/objects";
import {
  type OpenHost,
  type ScriptedAdapter,
  scriptedCodec,
  type ScriptedMessage,
} from "@self-context-manager/testkit";

import { type Breaking, scriptedHost } from "./scripted-host.ts";

/** Returns hosts with a sound adapter of which some hooks are replaced. */
export function broken(breaking: Breaking): OpenHost {
  return scriptedHost({ breaking });
}

/** Returns hosts whose adapter changes the view before it is sent. The change also gets the host's own messages. */
export function sending(
  change: (
    view: readonly ScriptedMessage[],
    messages: readonly ScriptedMessage[],
  ) => readonly ScriptedMessage[],
): OpenHost {
  return broken((adapter) => ({
    assemble: async (messages) => {
      const view = await adapter.assemble(messages);
      return view === undefined ? undefined : change(view, messages);
    },
  }));
}

/** Returns hosts whose adapter reads messages with a changed codec. */
export function reading(codec: Partial<MessageCodec<ScriptedMessage>>): OpenHost {
  return scriptedHost({ codec: { ...scriptedCodec, ...codec } });
}

/** Returns hosts whose adapter replaces one of the context tools. */
export function withTool(
  name: string,
  run: (session: ContextSession, target: string) => Promise<unknown>,
): OpenHost {
  return broken((adapter, { session }) => ({
    tools: () =>
      adapter.tools().map((tool) =>
        tool.name === name
          ? {
              name,
              run: async ({ id }) => {
                await run(await session(), typeof id === "string" ? id : "");
                return { text: "done" };
              },
            }
          : tool,
      ),
  }));
}

/** Returns hosts whose adapter changes the text of a context tool's answer, or the arguments that the tool gets. */
export function withAnswers(
  name: string,
  change: {
    readonly text?: (text: string) => string;
    readonly args?: (args: JsonObject) => JsonObject;
  },
): OpenHost {
  return broken((adapter) => ({
    tools: () =>
      adapter.tools().map((tool) =>
        tool.name === name
          ? {
              name,
              run: async (args, callId) => {
                const answer = await tool.run(change.args?.(args) ?? args, callId);
                return { ...answer, text: change.text?.(answer.text) ?? answer.text };
              },
            }
          : tool,
      ),
  }));
}

/** Returns hosts whose adapter gives the results of one of the context tools no details. They offer all of the tools. */
export function withoutDetails(name: string): OpenHost {
  return scriptedHost({
    readTool: "open_file",
    breaking: (adapter) => ({
      tools: () =>
        adapter.tools().map((tool) => ({
          ...tool,
          run: async (input, callId) => {
            const { extra, ...output } = await tool.run(input, callId);
            return tool.name === name || extra === undefined ? output : { ...output, extra };
          },
        })),
    }),
  });
}

/** Returns hosts whose adapter does not record the system prompts of these origins. */
export function withoutRecording(origins: readonly string[]): OpenHost {
  return scriptedHost({
    openedAs: (session) => ({
      ...session,
      recordSystemPrompt: async (origin, text) =>
        origins.includes(origin) ? text : await session.recordSystemPrompt(origin, text),
    }),
  });
}

/** Returns hosts whose adapter ignores the outputs of one tool. */
export function ignoring(name: string): OpenHost {
  return broken((adapter) => ({
    afterTool: async (call, output) =>
      call.name === name ? undefined : await adapter.afterTool(call, output),
  }));
}

/** Returns hosts whose adapter changes every object when a session is resumed. */
export function onResume(
  change: (session: ContextSession, handle: string) => Promise<unknown>,
): OpenHost {
  return broken((adapter, { session, openings }) => {
    let isDone = openings === 1;
    return {
      assemble: async (messages) => {
        if (!isDone) {
          const { objects } = await (await session()).status();
          for (const { handle } of objects) await change(await session(), handle);
        }
        isDone = true;
        return await adapter.assemble(messages);
      },
    };
  });
}

/** Whether a message of the view contains active contents. */
export function isActiveContents({ kind, text }: ScriptedMessage): boolean {
  return (kind === "human" && /(^|\n)Active: /u.test(text)) || /^[a-z]+\d+ .*\n~~~/mu.test(text);
}

/** Sends every message that was ever in the list, including those of abandoned branches. */
export function neverForgetting(adapter: ScriptedAdapter): Partial<ScriptedAdapter> {
  const seen = new Map<string, ScriptedMessage>();
  return {
    wentBack: () => undefined,
    assemble: async (messages) => {
      for (const message of messages) seen.set(message.id, message);
      return await adapter.assemble([...seen.values()]);
    },
  };
}

/** Returns the messages with each run of outputs in reverse order. */
export function outputsReversed(view: readonly ScriptedMessage[]): readonly ScriptedMessage[] {
  const turned: ScriptedMessage[] = [];
  let start = 0;
  for (const message of view) {
    if (message.kind !== "output") start = turned.length + 1;
    turned.splice(message.kind === "output" ? start : turned.length, 0, message);
  }
  return turned;
}
