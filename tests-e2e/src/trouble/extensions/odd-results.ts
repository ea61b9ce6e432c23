import { type ExtensionHost, schema, type TextBlock } from "./extension-host.ts";

/** Has tools whose results have no list of blocks, as extensions without types can have. */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function oddResults(pi: ExtensionHost): void {
  const contents = { plain_text: "the words of a_plain_text", nothing: null };
  for (const [name, content] of Object.entries(contents))
    pi.registerTool({
      name,
      label: name,
      description: "Gives a result without blocks",
      parameters: schema({}),
      execute: async () =>
        await Promise.resolve({ content: content as unknown as TextBlock[], details: {} }),
    });
}
