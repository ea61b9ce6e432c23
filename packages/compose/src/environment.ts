/** Environment variables by name, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable. One that is set to the empty text counts as not set. */
export function variableOf(environment: Environment, variable: string): string | undefined {
  const value = environment[variable];
  return value === "" ? undefined : value;
}
