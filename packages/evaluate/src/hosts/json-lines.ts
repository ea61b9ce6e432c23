import { isJsonObject, type JsonObject } from "@self-context-manager/objects";
import type { Readable } from "node:stream";

/**
 * Calls `receive` for each line of a stream that is an object in JSON. Only LF ends a line: Node's `readline` also splits
 * at U+2028, which is allowed inside a JSON string.
 */
export function onJsonLines(stream: Readable, receive: (line: JsonObject) => void): void {
  let rest = "";
  stream.setEncoding("utf8").on("data", (piece: string) => {
    // Only the new piece is searched: one line can be a megabyte.
    const [first = "", ...others] = piece.split("\n");
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const value = parsed(line);
      if (value !== undefined) receive(value);
    }
  });
}

function parsed(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Extensions may print to the same stream. Such a line does not belong to the protocol.
    return undefined;
  }
}
