/** What the context tools do. The operations are also the usual names of the tools. */
const operations = ["read", "activate", "deactivate", "pin", "unpin", "find_objects"] as const;

/** What a context tool does to the session. */
export type ContextOperation = (typeof operations)[number];

/** The beginning of the context tools' names in a host whose other tools have the usual names. */
export const renamedPrefix = "context_";

/** Returns the operation with this name; undefined for any other value. */
export function operationNamed(value: unknown): ContextOperation | undefined {
  return operations.find((operation) => operation === value);
}

/** Returns the operation of the context tool that usually has this name. */
export function usualOperation(toolName: string): ContextOperation | undefined {
  const name = toolName.startsWith(renamedPrefix) ? toolName.slice(renamedPrefix.length) : toolName;
  return operationNamed(name);
}
