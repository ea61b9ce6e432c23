import { isJsonObject, type JsonValue } from "@self-context-manager/objects";
import type { ToolCallBlock } from "../chat/message.ts";
import { rawEstimator } from "../cost/calibrated-estimator.ts";
import { argumentStubs } from "../lines/stand-ins.ts";
import type { ToolFacts } from "./tool-facts.ts";
import { argumentsOf } from "./toolcall-object.ts";

/**
 * Returns how many tokens leave the view with the arguments of a call, or undefined if the call is no large write or
 * edit. A policy ranks such arguments like an object.
 */
export function isLargeWrite(
  { toolFacts }: { readonly toolFacts: ToolFacts },
  call: ToolCallBlock,
  from: number,
): number | undefined {
  const args = argumentsOf(call.arguments);
  const text = JSON.stringify(args);
  // A text has fewer tokens than characters, so the tokens of most calls need not be counted.
  if (text.length < from) return undefined;
  const tokens = rawEstimator.text(text);
  if (tokens < from) return undefined;
  const { kind, writtenPath } = toolFacts(call.name, args);
  if (kind !== "write" && kind !== "edit" && writtenPath === undefined) return undefined;
  const rest = rawEstimator.text(JSON.stringify(shortened(args, { of: "f100", version: 10 })));
  return tokens - rest;
}

/** Characters from which on a text in arguments can leave the view. Shorter texts show what the call was about. */
const longText = 240;

/** The version of a file that holds a text, by its handle. */
interface TextPlace {
  readonly of: string;
  readonly version: number;
}

/**
 * Returns the arguments of a call with an argument stub for each long text. The stub names the place of the text, if it
 * is known.
 */
export function shortened(
  value: JsonValue | undefined,
  place: TextPlace | undefined,
): JsonValue | undefined {
  if (typeof value === "string") {
    if (value.length < longText) return value;
    return place === undefined
      ? argumentStubs.leftOut.write(value.length)
      : argumentStubs.inFile.write(value.length, place.of, place.version);
  }
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item) => shortened(item, place) ?? null);
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, shortened(item, place)]),
  ) as JsonValue;
}
