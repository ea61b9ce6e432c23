import { testScale } from "../scale.ts";
import { underLoad } from "./under-load.ts";

/** How often each law is tried in a long run, with other work going on meanwhile. */
const longRounds = 50;

/** Does it once, or in a long run many times in a row under load; it is told which time it is, from 0. */
export async function inRounds(
  scenario: (round: number) => Promise<void>,
  rounds: number = longRounds,
): Promise<void> {
  if (!testScale.isLong) return await scenario(0);
  await using _load = underLoad();
  for (let round = 0; round < rounds; round += 1) await scenario(round);
}
