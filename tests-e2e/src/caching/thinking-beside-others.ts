import { piExtension } from "@self-context-manager/adapter-pi";
import { openAnthropicModel, type Reply, toolCalls } from "@self-context-manager/evaluate/loopback";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { openIn } from "../managed-run.ts";
import { openPiSdk } from "../pi-sdk.ts";
import { openPiWorkspace } from "../pi-workspace.ts";
import type { ThinkingRun, ThinkingRunOptions } from "./thinking-run.ts";

/** Returns the text that another extension appends to each prompt of a request, by the number of the request. */
export type AppendedText = (request: number) => string;

interface Message {
  readonly role: string;
  readonly content: unknown;
}

interface ExtensionHost {
  on(
    name: "context",
    hook: (event: { readonly messages: readonly Message[] }) => {
      readonly messages: readonly Message[];
    },
  ): void;
}

/** Milliseconds after which the watcher has seen a change. */
const noticed = 900;

/** Requests of each prompt: a call of a tool and a text. */
const requestsOfPrompt = 2;

/**
 * Runs a session with thinking in a real Pi, beside an extension that appends a text to all prompts of each request. A
 * known file changes between the first two prompts.
 */
export async function besideOthersRun(
  { pi, model: described }: Pick<ThinkingRunOptions, "pi" | "model">,
  appended: AppendedText,
): Promise<ThinkingRun> {
  await using model = await openAnthropicModel({
    thinking: "bound",
    script: ({ index }) => {
      const reasoning = `Part ${index} needs some thought.`;
      if (index % requestsOfPrompt !== 0)
        return { type: "text", text: `Part ${index} is done.`, reasoning };
      const [tool, args] = index === 0 ? ["read", { path: "a.txt" }] : ["bash", { command: "ls" }];
      return { ...toolCalls([`call_${index}`, tool, args]), reasoning } as Reply;
    },
  });
  await using workspace = await openPiWorkspace({
    ...described,
    model,
    api: "anthropic-messages",
    files: { "a.txt": "one\ntwo\nthree\n" },
  });
  let requests = 0;
  const other = (host: ExtensionHost): void =>
    host.on("context", ({ messages }) => {
      const text = appended(requests);
      requests += 1;
      return { messages: messages.map((message) => withText(message, text)) };
    });
  const ui = { notify: () => undefined, setStatus: () => undefined };
  const factories = [
    other as never,
    piExtension({ openContext: openIn(workspace, { SCM_ACTIVATE_UNREAD: "ask" }) }),
  ];
  const sdk = await openPiSdk({ pi, workspace, factories, ui });
  try {
    await sdk.prompt("first");
    await writeFile(join(workspace.workFolder, "a.txt"), "one\nchanged\nthree\nfour\nfive\n");
    await delay(noticed);
    for (const prompt of ["second", "third"]) await sdk.prompt(prompt);
    return {
      requests: [...model.requests],
      failures: [...model.failures, ...sdk.errors],
      dropped: [...model.dropped],
    };
  } finally {
    await sdk[Symbol.asyncDispose]();
  }
}

function withText(message: Message, text: string): Message {
  if (message.role !== "user") return message;
  const { content } = message;
  return {
    ...message,
    content:
      typeof content === "string"
        ? `${content}\n\n${text}`
        : [...(content as readonly unknown[]), { type: "text", text: `\n\n${text}` }],
  };
}
