import { type ExtensionHost, schema } from "./extension-host.ts";

/** Registers tools with the names of the context tools. They switch the environments of a project. */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function foreignActivate(pi: ExtensionHost): void {
  registerEnvironmentTools(pi);
}

export function registerEnvironmentTools(pi: ExtensionHost): void {
  for (const name of ["activate", "deactivate", "pin"]) {
    pi.registerTool({
      name,
      label: name,
      description: `${name} a virtual environment`,
      parameters: schema({ id: "string" }),
      execute: async (_id, { id }) => ({
        content: [{ type: "text", text: `environment ${String(id)}: ${name} done` }],
        details: {},
      }),
    });
  }
}
