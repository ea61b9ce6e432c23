import type { Message } from "@self-context-manager/core";
import type { MessageCodec } from "@self-context-manager/core/host";
import { defined } from "@self-context-manager/objects";

import type { RecordedMessage } from "../read/recorded-session.ts";

/** A row of a segment with its number, which is its message key. */
export interface NumberedRow {
  readonly row: Exclude<RecordedMessage, { readonly role: "system" }>;
  readonly number: number;
}

/** The rows of a segment as a host would pass them, without system prompts, which hosts pass separately. */
export function numberedRows(rows: readonly RecordedMessage[]): readonly NumberedRow[] {
  return rows.flatMap((row, number) => (row.role === "system" ? [] : [{ row, number }]));
}

/** Reads recorded rows as a session's messages. */
export const recordedCodec: MessageCodec<NumberedRow> = {
  identify({ row, number }) {
    return {
      role: row.role,
      key: String(number),
      ...defined({ timestamp: row.timestamp }),
      ...(row.role === "toolResult" ? { callId: row.toolCallId } : {}),
    };
  },
  decode: ({ row }) => messageOf(row),
};

function messageOf(row: NumberedRow["row"]): Message {
  const time = defined({ timestamp: row.timestamp });
  switch (row.role) {
    case "user":
      return { role: "user", content: row.content.map((block) => ({ ...block })), ...time };
    case "assistant":
      return {
        role: "assistant",
        content: row.content.map((block) => ({ ...block })),
        meta: defined({ provider: row.provider, model: row.model }),
        ...time,
      };
    case "toolResult":
      return {
        role: "toolResult",
        toolCallId: row.toolCallId,
        toolName: row.toolName,
        content: row.content.map((block) => ({ ...block })),
        isError: row.isError,
        ...time,
      };
  }
}
