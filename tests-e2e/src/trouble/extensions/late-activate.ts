import type { ExtensionHost } from "./extension-host.ts";
import { registerEnvironmentTools } from "./foreign-activate.ts";

/** Registers tools with the names of the context tools at the first prompt, when the context tools are there already. */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function lateActivate(pi: ExtensionHost): void {
  let isRegistered = false;
  pi.on("before_agent_start", () => {
    if (!isRegistered) registerEnvironmentTools(pi);
    isRegistered = true;
    return undefined;
  });
}
