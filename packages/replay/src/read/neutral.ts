import type { JsonObject } from "@self-context-manager/core";

import { stringValue, timeOf } from "./fields.ts";
import { answerBlocks, callFacts, shownBlocks } from "./pi-blocks.ts";
import type { RecordedText } from "./recorded-session.ts";
import type { Recording } from "./recording.ts";
import type { RowReader } from "./row-reader.ts";

const roles = new Set(["system", "user", "assistant", "toolResult"]);

/** Whether a line is a row of the neutral format: a plain message of pi-ai. */
export function isNeutral(value: JsonObject): boolean {
  return (
    typeof value["role"] === "string" &&
    roles.has(value["role"]) &&
    "content" in value &&
    value["type"] === undefined
  );
}

/** Reads the neutral format. */
export function neutralReader(rows: Recording): RowReader {
  return {
    read(value, line) {
      const time = timeOf(value["timestamp"]);
      switch (value["role"]) {
        case "system":
          rows.add({
            role: "system",
            content: shownBlocks(value["content"]).filter(isText),
            ...time,
          });
          break;
        case "user":
          rows.add({
            role: "user",
            content: shownBlocks(value["content"]),
            ...time,
            ...(value["synthetic"] === true ? { synthetic: true } : {}),
            ...(value["compaction"] === true ? { compaction: true } : {}),
          });
          break;
        case "assistant":
          rows.call(answerBlocks(value["content"]), { ...callFacts(value), ...time });
          break;
        case "toolResult":
          rows.answer(
            {
              toolCallId: stringValue(value["toolCallId"]) ?? "",
              content: shownBlocks(value["content"]),
              isError: value["isError"] === true,
              ...time,
              ...(value["synthetic"] === true ? { synthetic: true } : {}),
            },
            line,
          );
          break;
        default:
          rows.damaged(line, "not a row of the neutral format: its role is none of the four roles");
      }
    },
  };
}

function isText(block: { readonly type: string }): block is RecordedText {
  return block.type === "text";
}
