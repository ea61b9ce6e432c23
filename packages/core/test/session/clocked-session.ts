import { priceProfile } from "../../src/cost/price-profile.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import type { View, ViewOptions } from "../../src/session/view-options.ts";
import type { Layout } from "../../src/view/layout.ts";
import { type ScriptedHistory, scriptHistory } from "./script-history.ts";
import { openTestSession, type TestSession } from "./test-session.ts";

/** The prices and the name of the model that a clocked session calls. */
export const model = "anthropic/claude-sonnet-4-5";
export const prices: ReturnType<typeof priceProfile> = priceProfile({
  provider: "anthropic",
  id: "claude-sonnet-4-5",
});

/** A session in the epoch layout, with a clock that a test moves. */
export interface ClockedSession extends TestSession {
  readonly history: ScriptedHistory;
  time: number;
  /** Sends the history's messages and makes the view for the next call. */
  send(options?: Pick<ViewOptions, "head" | "model">): Promise<View>;
}

/** Opens a clocked session with these numbers in its policy. */
export async function openClockedSession(
  alive = 24,
  kept = 5,
  layout: Layout = epochLayout(),
): Promise<ClockedSession> {
  const clock = { now: () => opened.time };
  const policy = recentlyUsedPolicy({ alive, kept });
  const opened: ClockedSession = {
    ...(await openTestSession({ layout, policy, clock })),
    history: scriptHistory(),
    time: 1_800_000_000_000,
    send: async (options = {}) => {
      await opened.history.ingest(opened.session);
      return await opened.session.nextView({ prices, model, ...options });
    },
  };
  return opened;
}

/** Returns the views of a session that repeats a tool call, with outputs of these lengths. */
export async function growingViews(sizes: readonly number[]): Promise<readonly View[]> {
  const opened = await openClockedSession(6, 2);
  const made: View[] = [];
  opened.history.user("go on");
  for (const [index, size] of sizes.entries()) {
    opened.history.call("bash", { command: `run ${index}` }, `${index} says. `.repeat(size));
    made.push(await opened.send());
  }
  return made;
}
