import { testScale } from "../scale.ts";
import { underLoad } from "./under-load.ts";

/** How often each law is tried in a long run, with other work going on meanwhile. */
const longRounds = 50;

/** Does it once, or in a long run many times in a row under load. */
export async function inRounds(scenario: () => Promise<void>): Promise<void> {
  if (!testScale.isLong) return await scenario();
  await using _load = underLoad();
  for (let round = 0; round < longRounds; round += 1) await scenario();
}
