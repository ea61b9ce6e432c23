import { type Block, isToolCall } from "../chat/message.ts";
import { isJsonObject, type JsonValue } from "../objects/json.ts";
import type { ArgumentStub } from "./view-entry.ts";

/** How long a text in arguments must be to leave; what is shorter says what the call was about. */
const longText = 240;

/**
 * A message's blocks with the long texts of some calls' arguments left out, each replaced by where it stands (decision
 * D5). Everything else, signed thinking included, is as it was.
 */
export function stubbedArguments(
  blocks: readonly Block[],
  stubs: readonly ArgumentStub[],
): readonly Block[] {
  const byCall = new Map(stubs.map((stub) => [stub.call, stub]));
  let call = -1;
  return blocks.map((block) => {
    if (!isToolCall(block)) return block;
    call += 1;
    const stub = byCall.get(call);
    if (stub === undefined) return block;
    return { ...block, arguments: shortened(block.arguments, placeOf(stub)) };
  });
}

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

function placeOf({ of, version }: ArgumentStub): string {
  return of === undefined ? " left out" : `, now in ${of} v${version ?? 1}`;
}
