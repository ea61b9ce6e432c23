import { testScale } from "../scale.ts";
import { underLoad } from "./under-load.ts";

/** How often a long run tests each law, with other work at the same time. */
const longRounds = 50;

/** Runs a scenario once. In a long run, repeats it under load. The scenario gets its round, from 0. */
export async function inRounds(
  scenario: (round: number) => Promise<void>,
  rounds: number = longRounds,
): Promise<void> {
  if (!testScale.isLong) return await scenario(0);
  await using _load = underLoad();
  for (let round = 0; round < rounds; round += 1) await scenario(round);
}
