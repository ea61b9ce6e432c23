import type { ExtensionHost } from "./extension-host.ts";

/** Adds a hint to the result of each `read`. */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function hintAfterRead(pi: ExtensionHost): void {
  pi.on("tool_result", ({ toolName, input, content }) =>
    toolName === "read"
      ? {
          content: [
            ...content,
            {
              type: "text",
              text: `HINT: run the linter after a change of ${String(input["path"])}`,
            },
          ],
        }
      : undefined,
  );
}
