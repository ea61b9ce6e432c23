/** A setting with a value that is not allowed. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "CONFIG_INVALID";
  /** The name of the environment variable. */
  readonly variable: string;
  readonly value: string;
  /** A description of the allowed values. */
  readonly allowed: string;

  constructor(variable: string, value: string, allowed: string) {
    super(`${variable} is ${JSON.stringify(value)}; it must be ${allowed}`);
    this.variable = variable;
    this.value = value;
    this.allowed = allowed;
  }

  /** Checks name and code, not the class, so it works across two copies of this package. */
  static is(error: unknown): error is ConfigError {
    return (
      error instanceof Error &&
      error.name === "ConfigError" &&
      "code" in error &&
      error.code === "CONFIG_INVALID"
    );
  }
}
