import type { JsonObject } from "@self-context-manager/core";

/** Reads one recorder's lines into a recording. */
export interface RowReader {
  /** Takes a line's object; what it does not know it passes over. */
  read(value: JsonObject, line: number): void;
  /** Is called once after the last line. */
  end?(): void;
}
