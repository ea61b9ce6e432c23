import { shortened } from "../calls/large-write.ts";
import { type Block, isToolCall } from "../chat/message.ts";
import type { ArgumentStub } from "../view/view-entry.ts";

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

function placeOf({ of, version }: ArgumentStub): string {
  return of === undefined ? " left out" : `, now in ${of} v${version ?? 1}`;
}
