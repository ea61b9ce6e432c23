import { dirname } from "node:path";

import type { Step } from "./follow-value.ts";

/** Consecutive steps in one place: in a file, or in a room (the folder of a file). */
interface Stay {
  readonly place: string;
  readonly steps: readonly Step[];
}

export interface Count {
  readonly stays: readonly Stay[];
  /** The places, with the number of stays in each. */
  readonly places: ReadonlyMap<string, number>;
  /** How often a place is entered that was left before. */
  readonly returns: number;
}

export function countByFile(steps: readonly Step[]): Count {
  return count(steps, ({ file }) => file);
}

export function countByRoom(steps: readonly Step[]): Count {
  return count(steps, ({ file }) => dirname(file));
}

/** The places that are entered more than once. */
export function enteredAgain({ places }: Count): readonly string[] {
  return [...places].flatMap(([place, times]) => (times > 1 ? [place] : [])).toSorted();
}

function count(steps: readonly Step[], placeOf: (step: Step) => string): Count {
  const stays: { place: string; steps: Step[] }[] = [];
  for (const step of steps) {
    const place = placeOf(step);
    const last = stays.at(-1);
    if (last?.place === place) last.steps.push(step);
    else stays.push({ place, steps: [step] });
  }
  const places = new Map<string, number>();
  for (const { place } of stays) places.set(place, (places.get(place) ?? 0) + 1);
  return { stays, places, returns: stays.length - places.size };
}
