import type { JsonObject, JsonValue } from "@self-context-manager/objects";
import { argumentsOf, type ToolCallBlock } from "../chat/message.ts";
import { rawEstimator } from "../cost/calibrated-estimator.ts";
import { argumentStubs } from "../lines/stand-ins.ts";
import { isTextToFind } from "./edit-pairs.ts";
import { mapTexts } from "./map-texts.ts";
import type { ToolFacts } from "./tool-facts.ts";

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

/**
 * Characters from which on a text in arguments can leave the view. Shorter texts show what the call was about. Recorded
 * views are rendered with this number, so it stays.
 */
export const longText = 240;

/**
 * The version of a file that holds the texts of a call, by the file's handle. `before` is the version that holds the
 * texts that an edit replaced, or 0 if none is known; undefined if all texts are in `version`.
 */
interface TextPlace {
  readonly of: string;
  readonly version: number;
  readonly before?: number;
}

/** The long texts of a call's arguments: those that the call looked for to replace them, and all others. */
export interface LongTexts {
  readonly replaced: readonly string[];
  readonly others: readonly string[];
}

/** Returns the texts of arguments that an argument stub can replace. */
export function longTexts(args: JsonObject): LongTexts {
  const replaced: string[] = [];
  const others: string[] = [];
  mapTexts(args, (text, name) => {
    if (text.length >= longText) (isTextToFind(name) ? replaced : others).push(text);
    return text;
  });
  return { replaced, others };
}

/**
 * Returns the arguments of a call with an argument stub for each long text. The stub names the place of the text, if it
 * is known.
 */
export function shortened(
  value: JsonValue | undefined,
  place: TextPlace | undefined,
): JsonValue | undefined {
  return mapTexts(value, (text, name) => {
    if (text.length < longText) return text;
    const version = place === undefined ? 0 : versionOf(place, name);
    return place === undefined || version === 0
      ? argumentStubs.leftOut.write(text.length)
      : argumentStubs.inFile.write(text.length, place.of, version);
  });
}

function versionOf({ version, before }: TextPlace, name: string): number {
  return before !== undefined && isTextToFind(name) ? before : version;
}
