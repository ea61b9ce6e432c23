import { type ExtensionHost, withTexts } from "./extension-host.ts";

/**
 * Masks secrets in the results of tools, and puts them back when the model writes a mask into a file. The model can so
 * work with a file whose secrets it never sees.
 */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function maskSecrets(pi: ExtensionHost): void {
  const secrets: string[] = [];

  function mask(text: string): string {
    for (const [, secret] of text.matchAll(/SECRET=([\w-]+)/gu))
      if (secret !== undefined && !secrets.includes(secret)) secrets.push(secret);
    return secrets.reduce(
      (masked, secret, index) => masked.replaceAll(secret, `<<S${index + 1}>>`),
      text,
    );
  }

  const unmask = (text: string): string =>
    text.replaceAll(/<<S(\d+)>>/gu, (name, number) => secrets[Number(number) - 1] ?? name);

  pi.on("tool_result", ({ content, details }) => ({
    content: withTexts(content, mask),
    // The details of an edit contain a difference.
    ...(details === undefined
      ? {}
      : { details: JSON.parse(mask(JSON.stringify(details))) as unknown }),
  }));
  pi.on("tool_call", ({ toolName, input }) => {
    if (toolName === "write" || toolName === "edit")
      Object.assign(input, JSON.parse(unmask(JSON.stringify(input))));
    return undefined;
  });
}
