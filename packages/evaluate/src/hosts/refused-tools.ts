import { writeFile } from "node:fs/promises";

/** Returns what the model reads when it calls a tool that the arm leaves out. */
export function refusalOf(name: string): string {
  return `${name} is not available in this session.`;
}

/** Writes an extension of Pi that refuses the calls of some tools. */
export async function writeRefusingExtension(
  path: string,
  names: readonly string[],
): Promise<void> {
  const reasons = Object.fromEntries(names.map((name) => [name, refusalOf(name)]));
  await writeFile(
    path,
    `const reasons = new Map(Object.entries(${JSON.stringify(reasons)}));
export default (pi) =>
  pi.on("tool_call", ({ toolName }) => {
    const reason = reasons.get(toolName);
    return reason === undefined ? undefined : { block: true, reason };
  });
`,
  );
}
