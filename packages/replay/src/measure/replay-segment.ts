import { defined } from "@self-context-manager/objects";

import { askedOverhead } from "./billing.ts";
import type { CallView, CharRange, Prompt, StrategyRun } from "./call-view.ts";
import { type Evidence, missingGrams, type UsedGram } from "./evidence.ts";
import { fetchedLines } from "./fetched-lines.ts";
import { isSharp } from "./sharp-evidence.ts";
import type { AskedRequest, CallRequests } from "./trace.ts";

/** How many messages of a segment quote evidence, and how many of them quote evidence that was not in view. */
export interface MissCounts {
  readonly used: number;
  readonly missed: number;
  readonly grams: number;
  readonly missedGrams: number;
  /** The same, with large arguments as objects. */
  readonly usedPlus: number;
  readonly missedPlus: number;
  readonly gramsPlus: number;
  readonly missedGramsPlus: number;
  /** The messages whose quotations are sharp evidence, and those in which the missed quotations are. */
  readonly sharpUsed: number;
  readonly sharpMissed: number;
  readonly sharpUsedPlus: number;
  readonly sharpMissedPlus: number;
  /** The same for quotations of the talk: of arguments of any size, of answers and of thinking. */
  readonly talkUsed: number;
  readonly talkMissed: number;
  readonly talkSharpUsed: number;
  readonly talkSharpMissed: number;
}

/** The result of one pass over a segment. */
export interface SegmentTrace {
  readonly requests: readonly CallRequests[];
  readonly miss: MissCounts;
}

export interface ReplayOptions {
  /**
   * What the model asks for and gets if it misses evidence: whole objects or lines of them, or whole objects of the talk
   * too; default: nothing.
   */
  readonly charge?: "objects" | "lines" | "objects-and-talk";
}

/** Runs a strategy for every call of a segment and records what was sent and missed. */
export async function replaySegment(
  run: StrategyRun,
  callCount: number,
  evidence: Evidence,
  { charge }: ReplayOptions = {},
): Promise<SegmentTrace> {
  const requests: CallRequests[] = [];
  let miss = noMisses;
  for (let call = 0; call < callCount; call += 1) {
    let view: CallView = await run.view();
    const fetched: AskedRequest[] = [];
    const grams = evidence.uses.get(call);
    if (grams !== undefined) {
      const missing = missingGrams(grams, view.shown);
      miss = addMisses(miss, missesOf(grams, missing));
      if (charge !== undefined) {
        const asked =
          charge === "objects-and-talk" ? missing : missing.filter(({ isOutput }) => isOutput);
        for (const object of fewestObjects(asked)) {
          const found = evidence.objects[object];
          const lines =
            charge === "lines" && found !== undefined
              ? fetchedLines(found, positionsIn(object, asked))
              : undefined;
          const content = (lines?.tokens ?? found?.tokens ?? 0) + askedOverhead;
          fetched.push({ prompt: promptOf(view), content });
          view = await run.activate(object, lines);
        }
      }
    }
    requests.push({ prompt: promptOf(view), asked: fetched, ownCalls: view.ownCalls ?? [] });
  }
  return { requests, miss };
}

/** Returns the data of a view that stay valid. */
function promptOf({ parts, marks, time }: CallView): Prompt {
  return { parts, ...defined({ marks, time }) };
}

/** The positions of 8-grams in an object. */
function positionsIn(object: number, grams: readonly UsedGram[]): readonly CharRange[] {
  return grams.flatMap(({ holders }) => holders.filter((holder) => holder.object === object));
}

/** The smallest set of objects that contains all given 8-grams; of equal sets, the one with the newest objects. */
export function fewestObjects(grams: readonly UsedGram[]): readonly number[] {
  const sets = grams.map(({ holders }) => new Set(holders.map(({ object }) => object)));
  const newestFirst = [...new Set(sets.flatMap((set) => [...set]))].sort((a, b) => b - a);
  for (let size = 0; size <= 3; size += 1) {
    const found = covering(sets, newestFirst, size);
    if (found !== undefined) return found;
  }
  return greedyCover(sets, newestFirst);
}

/** An exact cover of at most `size` objects; the first in the given order. */
function covering(
  sets: readonly ReadonlySet<number>[],
  order: readonly number[],
  size: number,
): readonly number[] | undefined {
  const [first] = sets;
  if (first === undefined) return [];
  if (size === 0) return undefined;
  // One of the objects that contain the first 8-gram is required.
  for (const object of order) {
    if (!first.has(object)) continue;
    const rest = covering(
      sets.filter((set) => !set.has(object)),
      order,
      size - 1,
    );
    if (rest !== undefined) return [object, ...rest];
  }
  return undefined;
}

function greedyCover(
  sets: readonly ReadonlySet<number>[],
  order: readonly number[],
): readonly number[] {
  const taken: number[] = [];
  let open = sets;
  while (open.length > 0) {
    let best: number | undefined;
    let most = 0;
    for (const object of order) {
      const count = open.filter((set) => set.has(object)).length;
      if (count > most) {
        best = object;
        most = count;
      }
    }
    const chosen = best;
    if (chosen === undefined) break;
    taken.push(chosen);
    open = open.filter((set) => !set.has(chosen));
  }
  return taken;
}

/** The counts of no messages. */
export const noMisses: MissCounts = missesOf([], []);

/** Adds the counts of one message or of a part to others. */
export function addMisses(counts: MissCounts, more: MissCounts): MissCounts {
  const sums = Object.entries(counts).map(([name, count]) => [
    name,
    count + more[name as keyof MissCounts],
  ]);
  return Object.fromEntries(sums) as MissCounts;
}

/** The counts of one message, of all its 8-grams and of those that are not in view. */
function missesOf(all: readonly UsedGram[], gone: readonly UsedGram[]): MissCounts {
  const strict = all.filter(({ isStrict }) => isStrict);
  const missingStrict = gone.filter(({ isStrict }) => isStrict);
  const grams = all.filter(({ isOutput }) => isOutput);
  const missing = gone.filter(({ isOutput }) => isOutput);
  const talk = all.filter(({ isTalk }) => isTalk);
  const missingTalk = gone.filter(({ isTalk }) => isTalk);
  return {
    used: Number(strict.length > 0),
    missed: Number(missingStrict.length > 0),
    grams: strict.length,
    missedGrams: missingStrict.length,
    usedPlus: Number(grams.length > 0),
    missedPlus: Number(missing.length > 0),
    gramsPlus: grams.length,
    missedGramsPlus: missing.length,
    sharpUsed: Number(isSharp(strict)),
    sharpMissed: Number(isSharp(missingStrict)),
    sharpUsedPlus: Number(isSharp(grams)),
    sharpMissedPlus: Number(isSharp(missing)),
    talkUsed: Number(talk.length > 0),
    talkMissed: Number(missingTalk.length > 0),
    talkSharpUsed: Number(isSharp(talk)),
    talkSharpMissed: Number(isSharp(missingTalk)),
  };
}
