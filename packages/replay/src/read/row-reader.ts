import type { JsonObject } from "@self-context-manager/core";

/** Reads one recorder's lines into a recording. */
export interface RowReader {
  /** Reads the object of a line; unknown objects are skipped. */
  read(value: JsonObject, line: number): void;
  /** Called once, after the last line. */
  end?(): void;
}
