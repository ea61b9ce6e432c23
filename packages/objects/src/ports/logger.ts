/** Takes what a person who looks for the cause of a problem would want to read. Content of objects never goes here. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** A logger that keeps nothing. */
export const silentLogger: Logger = {
  debug() {},
  warn() {},
  error() {},
};
