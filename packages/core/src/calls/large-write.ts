import { isJsonObject, type JsonValue } from "@self-context-manager/objects";
import type { ToolCallBlock } from "../chat/message.ts";
import { rawEstimator } from "../cost/calibrated-estimator.ts";
import type { ToolFacts } from "./tool-facts.ts";
import { argumentsOf } from "./toolcall-object.ts";

/** Whether a call's arguments are what a policy ranks as an object of its own. */
export function isLargeWrite(
  { toolFacts }: { readonly toolFacts: ToolFacts },
  call: ToolCallBlock,
  from: number,
): number | undefined {
  const args = argumentsOf(call.arguments);
  const text = JSON.stringify(args);
  // Four tokens a character is more than any text has; most calls are not worth counting.
  if (text.length < from) return undefined;
  const tokens = rawEstimator.text(text);
  if (tokens < from) return undefined;
  const { kind, writtenPath } = toolFacts(call.name, args);
  if (kind !== "write" && kind !== "edit" && writtenPath === undefined) return undefined;
  const rest = rawEstimator.text(JSON.stringify(shortened(args, ", now in f100 v10")));
  return tokens - rest;
}

/** How long a text in arguments must be to leave; what is shorter says what the call was about. */
const longText = 240;

/** The arguments of a call as they are without their long texts. */
export function shortened(value: JsonValue | undefined, place: string): JsonValue | undefined {
  if (typeof value === "string") {
    return value.length < longText ? value : `[${value.length} characters${place}]`;
  }
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item) => shortened(item, place) ?? null);
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, shortened(item, place)]),
  ) as JsonValue;
}
