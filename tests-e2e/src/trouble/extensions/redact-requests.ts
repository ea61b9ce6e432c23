import { type ExtensionHost, type TextBlock, withTexts } from "./extension-host.ts";

/** Hides secrets in the messages of each request. The host's record keeps them. */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function redactRequests(pi: ExtensionHost): void {
  pi.on("context", ({ messages }) => ({
    messages: messages.map(({ details, ...message }) => ({
      ...message,
      content: hidden(message.content),
      // The details of an edit contain a difference.
      ...(details === undefined
        ? {}
        : { details: JSON.parse(hide(JSON.stringify(details))) as unknown }),
    })),
  }));
}

function hidden(content: unknown): unknown {
  if (typeof content === "string") return hide(content);
  return Array.isArray(content) ? withTexts(content.filter(isBlock), hide) : content;
}

function hide(text: string): string {
  return text.replaceAll(/SECRET=[\w-]+/gu, "SECRET=[REDACTED]");
}

function isBlock(value: unknown): value is TextBlock {
  return typeof value === "object" && value !== null && "type" in value;
}
