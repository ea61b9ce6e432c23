import type { ExtensionHost } from "./extension-host.ts";

/** Blocks every `read` of a file in a folder named `private`. */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function gatePrivate(pi: ExtensionHost): void {
  pi.on("tool_call", ({ toolName, input }) =>
    toolName === "read" && String(input["path"]).includes("private/")
      ? { block: true, reason: "private files are not to be read" }
      : undefined,
  );
}
