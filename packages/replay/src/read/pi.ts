import type { JsonObject } from "@self-context-manager/core";

import { numberOf, objectOf, type ShownBlocks, stringValue, textBlock, timeOf } from "./fields.ts";
import { answerBlocks, callFacts, shownBlocks } from "./pi-blocks.ts";
import type { RecordedUser } from "./recorded-session.ts";
import type { Recording } from "./recording.ts";
import type { RowReader } from "./row-reader.ts";

/** Whether a line belongs to a Pi session: its header, or an entry with a message. */
export function isPi(value: JsonObject): boolean {
  const { type, id, timestamp } = value;
  if (type === "session") return typeof id === "string" && typeof timestamp === "string";
  const role = objectOf(value["message"])["role"];
  return type === "message" && typeof role === "string" && !("uuid" in value);
}

/** An entry of the file. `apply` adds its row to the recording once the entry is known to be on the branch. */
interface Entry {
  readonly line: number;
  /** The id of the parent entry; `null` for the first entry, and undefined in a file without a tree. */
  readonly parent: string | null | undefined;
  /** The previous entry in the file. */
  readonly before: Entry | undefined;
  readonly apply: ((rows: Recording) => void) | undefined;
}

/**
 * Reads a Pi session, of versions 1 to 3.
 *
 * Versions 2 and 3 are trees. The branch that ends with the last entry of the file counts, as when Pi opens the file.
 * An entry whose parent is damaged follows the previous entry of the file. Rows that forks of Pi have added are
 * skipped.
 */
export function piReader(rows: Recording): RowReader {
  const entries = new Map<string, Entry>();
  let last: Entry | undefined;
  return {
    read(value, line) {
      const { type, id, parentId } = value;
      if (type === "session" || typeof type !== "string") return;
      const isInTree =
        typeof id === "string" && (parentId === null || typeof parentId === "string");
      // An entry without a place in the tree, such as a fork's title, does not determine the end of the branch.
      if (!isInTree && last?.parent !== undefined) return;
      last = {
        line,
        parent: isInTree ? parentId : undefined,
        before: last,
        apply: rowOf(value, line),
      };
      if (isInTree) entries.set(id, last);
    },
    end() {
      const branch: Entry[] = [];
      const seen = new Set<Entry>();
      let entry = last;
      while (entry !== undefined && !seen.has(entry)) {
        seen.add(entry);
        branch.push(entry);
        const { parent, before, line }: Entry = entry;
        if (typeof parent === "string" && !entries.has(parent)) {
          rows.damaged(line, `its parent ${parent} is missing; it follows the previous entry`);
        }
        entry = parent === null ? undefined : (entries.get(parent ?? "") ?? before);
      }
      for (const { apply } of branch.toReversed()) apply?.(rows);
    },
  };
}

function rowOf(value: JsonObject, line: number): Entry["apply"] {
  const time = timeOf(value["timestamp"]);
  switch (value["type"]) {
    case "message":
      return messageRow(objectOf(value["message"]), time, line);
    case "custom_message":
      return userRow(shownBlocks(value["content"]), time, { synthetic: true });
    case "branch_summary":
      return userRow(shownBlocks(value["summary"]), time, { synthetic: true });
    case "compaction":
      return userRow(shownBlocks(value["summary"]), time, { synthetic: true, compaction: true });
    default:
      return undefined;
  }
}

type Time = { readonly timestamp?: number };

function messageRow(message: JsonObject, entryTime: Time, line: number): Entry["apply"] {
  const time = { ...entryTime, ...timeOf(message["timestamp"]) };
  switch (message["role"]) {
    case "system": {
      const content = shownBlocks(message["content"]).filter((block) => block.type === "text");
      return content.length === 0
        ? undefined
        : (rows) => rows.add({ role: "system", content, ...time });
    }
    case "user":
      return userRow(shownBlocks(message["content"]), time, {});
    case "assistant": {
      const content = answerBlocks(message["content"]);
      const facts = { ...callFacts(message), ...time };
      return (rows) => rows.call(content, facts);
    }
    case "toolResult": {
      const answer = {
        toolCallId: stringValue(message["toolCallId"]) ?? "",
        content: shownBlocks(message["content"]),
        isError: message["isError"] === true,
        ...time,
      };
      return (rows) => rows.answer(answer, line);
    }
    // Version 2 uses the name `hookMessage` for messages of extensions.
    case "custom":
    case "hookMessage":
      return userRow(shownBlocks(message["content"]), time, { synthetic: true });
    case "bashExecution":
      return message["excludeFromContext"] === true
        ? undefined
        : userRow([textBlock(executionText(message))], time, {});
    default:
      return undefined;
  }
}

function userRow(
  content: ShownBlocks,
  time: Time,
  flags: Pick<RecordedUser, "synthetic" | "compaction">,
): Entry["apply"] {
  if (content.length === 0) return undefined;
  return (rows) => rows.add({ role: "user", content, ...time, ...flags });
}

/** A command that the user ran outside the agent, in the form in which Pi shows it to the model. */
function executionText(message: JsonObject): string {
  const output = stringValue(message["output"]) ?? "";
  const exitCode = numberOf(message["exitCode"]) ?? 0;
  const shown = output === "" ? "(no output)" : `\`\`\`\n${output}\n\`\`\``;
  const failure = exitCode === 0 ? "" : `\n\nCommand exited with code ${exitCode}`;
  const ending = message["cancelled"] === true ? "\n\n(command cancelled)" : failure;
  return `Ran \`${stringValue(message["command"]) ?? ""}\`\n${shown}${ending}`;
}
