import type { ExtensionHost, HookMessage } from "./extension-host.ts";

/** Appends a new reminder to the newest prompt in each request. */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function remindInPrompt(pi: ExtensionHost): void {
  let count = 0;
  pi.on("context", ({ messages }) => {
    count += 1;
    const newest = messages.findLast(({ role }) => role === "user");
    const reminder = `\n\n<reminder>REMINDER number ${count}: ${"keep to the task. ".repeat(40)}</reminder>`;
    return {
      messages: messages.map((message) =>
        message === newest ? { ...message, content: withText(message, reminder) } : message,
      ),
    };
  });
}

function withText({ content }: HookMessage, more: string): unknown {
  return typeof content === "string"
    ? `${content}${more}`
    : [...(content as readonly unknown[]), { type: "text", text: more }];
}
