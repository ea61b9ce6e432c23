import { isJsonObject, type JsonValue } from "../objects/json.ts";
import type { StaticReference } from "../objects/references.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { LineRange } from "../session/line-range.ts";

/** What a context tool did to the session, told in its result so that a replayed session can do it again. */
export type ToolEffect = {
  readonly op: "read" | "activate" | "deactivate" | "pin" | "unpin";
  readonly id: ObjectId;
  readonly range?: LineRange;
  /** The version that was read. */
  readonly file?: StaticReference;
};

/** What was seen while a tool ran; it wins over a later, altered copy of the result (design §6.4). */
export type Execution = {
  /** The report of one of our own tools. */
  readonly report?: string;
  readonly effects?: readonly ToolEffect[];
  readonly fileRefs?: readonly StaticReference[];
  /** The effects are in the session already. */
  readonly isApplied?: boolean;
};

/** Under this name our tools' results carry their report and effects through the host's record. */
export const executionField = "self_context_manager";

const operations: ReadonlySet<string> = new Set(["read", "activate", "deactivate", "pin", "unpin"]);

/** The execution that a result's details tell of, or undefined for a tool that is not ours. */
export function executionIn(details: JsonValue | undefined): Execution | undefined {
  if (!isJsonObject(details)) return undefined;
  const told = details[executionField];
  if (!isJsonObject(told) || typeof told["report"] !== "string") return undefined;
  const effects = Array.isArray(told["effects"]) ? told["effects"].filter(isEffect) : [];
  return { report: told["report"], effects };
}

function isEffect(value: JsonValue): value is JsonValue & ToolEffect {
  return (
    isJsonObject(value) &&
    typeof value["id"] === "string" &&
    typeof value["op"] === "string" &&
    operations.has(value["op"])
  );
}
