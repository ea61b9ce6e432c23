import type { ScriptedMessage } from "@self-context-manager/testkit";

import type { ForeignBreaking } from "./foreign-host.ts";

/** An adapter that breaks the law of results, and what the check then reports. */
export interface ForeignFault {
  readonly breaking: ForeignBreaking;
  readonly says: RegExp;
}

/** Faults by their effect on a session beside another extension. */
export const foreignFaults: Readonly<Record<string, ForeignFault>> = {
  "shows a file from the disk when a tool has read it": {
    breaking: (adapter, session) => ({
      afterTool: async (call, output) => {
        await adapter.afterTool(call, output);
        const { path } = call.arguments;
        if (call.name === "read" && typeof path === "string")
          await (await session()).read({ path });
      },
    }),
    says: /which no result had|is stored with|is another text/u,
  },
  "shows each result with the text of the result before it": {
    breaking: (adapter) => ({
      assemble: async (messages, own) => {
        const view = await adapter.assemble(messages, own);
        const texts = view?.filter(({ kind }) => kind === "output").map(({ text }) => text) ?? [];
        let index = 0;
        return view?.map((message): ScriptedMessage => {
          if (message.kind !== "output") return message;
          index += 1;
          return { ...message, text: texts[Math.max(0, index - 2)] ?? "" };
        });
      },
    }),
    says: /a line is of no result/u,
  },
  "shows the prompts that the other extension has left out": {
    breaking: (adapter) => ({
      assemble: async (messages, own = messages) => {
        const view = await adapter.assemble(messages, own);
        const shown = new Set(view?.map(({ text }) => text));
        const missing = own.filter(({ kind, text }) => kind === "human" && !shown.has(text));
        return view === undefined ? undefined : [...missing, ...view];
      },
    }),
    says: /which only a left out message has/u,
  },
  "shows the newest answer before the prompts": {
    breaking: (adapter) => ({
      assemble: async (messages, own) => {
        const view = await adapter.assemble(messages, own);
        const answer = view?.findLast(({ kind, text }) => kind === "model" && text !== "");
        if (view === undefined || answer === undefined) return view;
        return [answer, ...view.filter((message) => message !== answer)];
      },
    }),
    says: /unlike the list/u,
  },
  "takes messages that the other extension has added for the host's own": {
    breaking: (adapter) => ({
      assemble: async (messages, own = messages) => {
        const host = [...own];
        for (const [index, message] of messages.entries()) {
          if (host.some(({ id }) => id === message.id)) continue;
          const before = messages[index - 1]?.id;
          host.splice(host.findIndex(({ id }) => id === before) + 1, 0, message);
        }
        return await adapter.assemble(messages, host);
      },
    }),
    says: /which was added to an earlier one|unlike the list/u,
  },
};
