import type { JsonValue } from "@self-context-manager/objects";
import { shortened } from "../calls/large-write.ts";
import { withoutReplaced } from "../calls/replaced-texts.ts";
import { withHeads } from "../calls/text-heads.ts";
import { type Block, isToolCall } from "../chat/message.ts";
import type { ArgumentStub } from "../view/view-entry.ts";

/**
 * Returns a message's blocks in which argument stubs replace long texts in the arguments of some calls. Everything else
 * is unchanged, including signed thinking.
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
    return { ...block, arguments: stubbed(block.arguments, stub) };
  });
}

/** Returns the arguments of a call as its stub shows them. Fields are the same; only texts differ. */
export function stubbed(args: JsonValue | undefined, stub: ArgumentStub): JsonValue | undefined {
  const { of, version = 1, before, replaced, head } = stub;
  if (head !== undefined) return withHeads(args, head);
  const place = of === undefined ? undefined : { of, version };
  if (replaced !== undefined) return withoutReplaced(args, replaced, place);
  return shortened(
    args,
    place === undefined || before === undefined ? place : { ...place, before },
  );
}
