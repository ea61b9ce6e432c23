import { expect } from "vitest";

import { say, use } from "../answers.ts";
import { numberedLines } from "../made-files.ts";
import type { Scenario } from "../scenario.ts";
import { lastRequest, requestAt, resultIn } from "../sent-lines.ts";

const anthropic = { server: "anthropic" } as const;

/** Returns a session that reads files of 45 kB until the server refuses the prompt, and continues. */
function refused(options: {
  readonly name: string;
  readonly contextWindow: number;
  readonly tokens: number;
  readonly files: number;
  readonly server: "openai" | "llama.cpp";
}): Scenario {
  const { name, contextWindow, tokens } = options;
  const names = Array.from({ length: options.files }, (_, index) => `part-${index}.txt`);
  return {
    name,
    contextWindow,
    window: {
      "anthropic-messages": { ...anthropic, tokens },
      "openai-completions": { server: options.server, tokens },
    },
    files: () =>
      Object.fromEntries(names.map((path, index) => [path, numberedLines(`part ${index}`, 750)])),
    async play({ prompt, resume }) {
      await prompt("read all parts", ...names.map((path) => use(["read", { path }])), say("read"));
      await prompt("and now", use(["bash", { command: "echo work" }]), say("done"));
      await resume();
      await prompt("once more", say("done"));
    },
    incomparable: "each side shortens its messages in its own way after the refusal",
    checks: {
      "is refused in plain Pi": ({ plain }) => expect(plain.refused.length).toBeGreaterThan(0),
      "is refused at most once with the extension": ({ managed }) =>
        expect(managed.refused.length).toBeLessThanOrEqual(1),
      "sends the newest prompt": ({ managed }) =>
        expect(lastRequest(managed).text).toContain("once more"),
    },
  };
}

const prompts = 9;

/** Prompts that a provider refuses, and a chat that alone exceeds the budget. */
export const overflow: readonly Scenario[] = [
  refused({
    name: "a window of 1M tokens in the catalogue and of 200k at the provider",
    contextWindow: 1_000_000,
    tokens: 200_000,
    files: 20,
    server: "openai",
  }),
  refused({
    name: "a window of 200k tokens in the catalogue and of 30k at the server",
    contextWindow: 200_000,
    tokens: 30_000,
    files: 5,
    server: "llama.cpp",
  }),
  {
    name: "a chat of prose alone that exceeds the window",
    contextWindow: 200_000,
    window: {
      "anthropic-messages": { ...anthropic, tokens: 200_000 },
      "openai-completions": { server: "openai", tokens: 200_000 },
    },
    async play({ isManaged, prompt }) {
      for (let index = 1; index <= prompts; index += 1) {
        const text = numberedLines(`prose ${index}`, 2_000);
        await prompt(`QUESTION ${index}\n${text}`, say(`answer ${index}`));
      }
      const other = use(["bash", { command: "echo no chat" }]);
      await prompt(
        "and before",
        isManaged ? use(["activate", { id: "chat", from: 5, to: 8 }]) : other,
        isManaged ? use(["activate", { id: "chat" }]) : other,
        say("read"),
      );
    },
    incomparable: "plain Pi replaces the chat by a summary",
    checks: {
      "is never refused": ({ managed }) => expect(managed.refused).toEqual([]),
      "sends the newest prompt and drops the oldest": ({ managed }) => {
        const last = requestAt(managed, prompts).text;
        expect(last).toContain(`prose ${prompts} line 2000 `);
        expect(last).not.toContain("prose 1 line 1000 ");
      },
      "says how to read what was dropped": ({ managed }) =>
        expect(requestAt(managed, prompts).text).toMatch(/activate (?:chat|u\d+)/u),
      "shows lines of the dropped turns": ({ managed }) =>
        expect(requestAt(managed, prompts + 2).text).toContain("prose 1 line 3 "),
      "lists the turns where the whole chat is too long": ({ managed }) =>
        expect(resultIn(lastRequest(managed), 2)).toMatch(/\bturn shows one\b[^]*\n1\. /u),
    },
  },
];
