/** Environment variables by name, like `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the value of a variable. An empty variable counts as not set. */
export function variableOf(environment: Environment, variable: string): string | undefined {
  const value = environment[variable];
  return value === "" ? undefined : value;
}
