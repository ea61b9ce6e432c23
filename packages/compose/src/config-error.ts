/** A setting that cannot be used. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "CONFIG_INVALID";
  /** The environment variable. */
  readonly variable: string;
  readonly value: string;
  /** What it may be, in words. */
  readonly allowed: string;

  constructor(variable: string, value: string, allowed: string) {
    super(`${variable} is ${JSON.stringify(value)}; it must be ${allowed}`);
    this.variable = variable;
    this.value = value;
    this.allowed = allowed;
  }

  /** Goes by name and code, not by class: true across two copies of this package. */
  static is(error: unknown): error is ConfigError {
    return (
      error instanceof Error &&
      error.name === "ConfigError" &&
      "code" in error &&
      error.code === "CONFIG_INVALID"
    );
  }
}
