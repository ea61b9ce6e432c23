import type { CallMessage } from "../../src/answers.ts";

type Sent = Pick<CallMessage, "hash" | "isShared">;

/**
 * The indexes of messages that differ in their place from the call before, and that it had at another one behind the first
 * change. `before`: the messages of that call.
 */
export function sentAgain(
  messages: readonly Sent[],
  before: readonly Pick<Sent, "hash">[],
): ReadonlySet<number> {
  const first = messages.findIndex(({ isShared }) => !isShared);
  const again = new Set<number>();
  if (first < 0) return again;
  const counts = new Map<string, number>();
  for (const { hash } of before.slice(first)) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  for (const [index, { hash }] of messages.entries()) {
    const left = counts.get(hash) ?? 0;
    if (index < first || left === 0) continue;
    counts.set(hash, left - 1);
    again.add(index);
  }
  return again;
}
