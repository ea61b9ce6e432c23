import { type ExtensionHost, withTexts } from "./extension-host.ts";

/** Hides secrets in the results of tools, as soon as a tool has run. */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function redactResults(pi: ExtensionHost): void {
  pi.on("tool_result", ({ content }) => ({
    content: withTexts(content, (text) => text.replaceAll(/SECRET=\S+/gu, "SECRET=[REDACTED]")),
  }));
}
