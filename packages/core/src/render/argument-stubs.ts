import { shortened } from "../calls/large-write.ts";
import { type Block, isToolCall } from "../chat/message.ts";
import type { ArgumentStub } from "../view/view-entry.ts";

/**
 * Returns a message's blocks in which argument stubs replace the long texts in the arguments of some calls. Everything
 * else is unchanged, including signed thinking.
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

function placeOf({ of, version = 1, before }: ArgumentStub): Parameters<typeof shortened>[1] {
  if (of === undefined) return undefined;
  return { of, version, ...(before === undefined ? {} : { before }) };
}
