import type { ExtensionHost, HookMessage } from "./extension-host.ts";

/** Sends only the last two prompts of the user and what follows them. Other messages in the user's role do not count. */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function lastPromptsOnly(pi: ExtensionHost): void {
  pi.on("context", ({ messages }) => {
    const prompts = messages.flatMap((message, index) => (isPrompt(message) ? [index] : []));
    return { messages: messages.slice(prompts.at(-2) ?? 0) };
  });
}

function isPrompt({ role, content }: HookMessage): boolean {
  return role === "user" && JSON.stringify(content).includes("PROMPT");
}
