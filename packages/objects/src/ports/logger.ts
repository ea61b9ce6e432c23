/** Receives messages for a person who searches for the cause of a problem. They never contain the content of objects. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** A logger that discards everything. */
export const silentLogger: Logger = {
  debug() {},
  warn() {},
  error() {},
};
