import { everyLayout, openStore, systemClock } from "@self-context-manager/compose";
import { storeContents, viewHistory } from "@self-context-manager/core/inspect";
import { messageOf } from "@self-context-manager/objects";
import { basename } from "node:path";

/**
 * Rebuilds every call of every session in a store and checks it against the hashes that were stored before it was sent.
 * Returns a line for each problem. A store that cannot be read is one problem.
 */
export async function verifyStore(file: string): Promise<readonly string[]> {
  try {
    return await problemsIn(file);
  } catch (error) {
    // The results have the store in another place, and verification finds the same text.
    return [`the store cannot be read: ${messageOf(error).replaceAll(file, basename(file))}`];
  }
}

async function problemsIn(file: string): Promise<readonly string[]> {
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
