import { type ExtensionHost, withTexts } from "./extension-host.ts";

/** Hides secrets in the results of tools, as soon as a tool has run. */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function redactResults(pi: ExtensionHost): void {
  pi.on("tool_result", ({ content, details }) => ({
    content: withTexts(content, hide),
    // The details of an edit contain a difference.
    ...(details === undefined
      ? {}
      : { details: JSON.parse(hide(JSON.stringify(details))) as unknown }),
  }));
}

function hide(text: string): string {
  return text.replaceAll(/SECRET=[\w-]+/gu, "SECRET=[REDACTED]");
}
