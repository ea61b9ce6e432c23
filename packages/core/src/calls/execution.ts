import {
  isJsonObject,
  isObjectId,
  isReference,
  type JsonValue,
  type LineRange,
  type ObjectId,
  type StaticReference,
} from "@self-context-manager/objects";

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

/** What our tools do, which are also their names. */
const operations: readonly ToolEffect["op"][] = ["read", "activate", "deactivate", "pin", "unpin"];

/**
 * The execution that a result's details tell of, or undefined for a tool that is not ours: details hold what a tool's
 * author likes, and those of others must not change the session.
 */
export function executionIn(
  toolName: string,
  details: JsonValue | undefined,
): Execution | undefined {
  if (!operations.some((name) => name === toolName) || !isJsonObject(details)) return undefined;
  const recorded = details[executionField];
  if (!isJsonObject(recorded) || typeof recorded["report"] !== "string") return undefined;
  const listed: readonly JsonValue[] = Array.isArray(recorded["effects"])
    ? recorded["effects"]
    : [];
  return { report: recorded["report"], effects: listed.flatMap(effectOf) };
}

function effectOf(value: JsonValue): readonly ToolEffect[] {
  if (!isJsonObject(value)) return [];
  const { id, range, file } = value;
  const op = operations.find((name) => name === value["op"]);
  if (op === undefined || typeof id !== "string" || !isObjectId(id)) return [];
  const lines = rangeIn(range);
  return [
    {
      op,
      id,
      ...(lines === undefined ? {} : { range: lines }),
      ...(isReference(file) && file.ref === "static" ? { file } : {}),
    },
  ];
}

function rangeIn(value: JsonValue | undefined): LineRange | undefined {
  const { from, to } = isJsonObject(value) ? value : {};
  const isRange = Number.isSafeInteger(from) && Number.isSafeInteger(to);
  if (!isRange || typeof from !== "number" || typeof to !== "number") return undefined;
  return from >= 1 && to >= from ? { from, to } : undefined;
}
