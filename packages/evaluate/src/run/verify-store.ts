import { everyLayout, openStore, systemClock } from "@self-context-manager/compose";
import { storeContents, viewHistory } from "@self-context-manager/core/inspect";

/**
 * Rebuilds every call of every session in a store and checks it against the hashes that were stored before it was sent.
 * Returns a line for each problem.
 */
export async function verifyStore(file: string): Promise<readonly string[]> {
  await using store = await openStore({ store: "sqlite", at: file, clock: systemClock });
  const { sessions } = await storeContents(store);
  const problems: string[] = [];
  let calls = 0;
  for (const { id } of sessions.values()) {
    const history = await viewHistory(store, everyLayout(), id);
    if (history === undefined) continue;
    for await (const view of history.verify()) {
      calls += 1;
      for (const { text } of view.problems) problems.push(`call ${view.call} of ${id}: ${text}`);
    }
  }
  if (calls === 0) problems.push("the store has no call, so the context manager was not at work");
  return problems;
}
