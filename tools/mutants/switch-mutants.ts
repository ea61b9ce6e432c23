import { type Node, parseSync } from "oxc-parser";

import { childrenOf } from "../children-of.ts";
import type { Mutant } from "./find-mutants.ts";

/** A mutant with the number that switches it on. */
export type NumberedMutant = Pick<Mutant, "start" | "end" | "becomes" | "isStatement"> & {
  readonly id: number;
};

interface Wrap {
  readonly start: number;
  readonly end: number;
  readonly open: string;
  readonly close: string;
}

/**
 * Compiles the mutants of a source into it. `isMutant(id)` decides as the code runs whether a mutant replaces its code.
 * Each turn of a loop calls `onTurn()`, so that a loop which a mutant made endless can be ended.
 */
export function switchMutants(
  file: string,
  source: string,
  mutants: readonly NumberedMutant[],
): string {
  const wraps = [...loopBodies(parseSync(file, source).program), ...mutants.map(wrapOf)];
  // Where several begin at one place, the longest is around the others.
  const opens = Map.groupBy(wraps, ({ start }) => start);
  const closes = Map.groupBy(wraps, ({ end }) => end);
  let code = "";
  let done = 0;
  for (const place of [...new Set([...opens.keys(), ...closes.keys()])].sort((a, b) => a - b)) {
    code += source.slice(done, place);
    done = place;
    for (const one of (closes.get(place) ?? []).toReversed().sort((a, b) => b.start - a.start))
      code += one.close;
    for (const one of (opens.get(place) ?? []).toSorted((a, b) => b.end - a.end)) code += one.open;
  }
  return code + source.slice(done);
}

/** Replaces the code of one mutant in a source. */
export function putMutant(
  source: string,
  { start, end, becomes, isStatement }: Omit<NumberedMutant, "id">,
): string {
  const code = isStatement ? `{${becomes}}` : `(${becomes})`;
  return source.slice(0, start) + code + source.slice(end);
}

function wrapOf({ id, start, end, becomes, isStatement }: NumberedMutant): Wrap {
  const call = `globalThis.isMutant(${id})`;
  return isStatement
    ? { start, end, open: `if (${call}) {${becomes}} else {`, close: "}" }
    : { start, end, open: `(${call} ? (${becomes}) : (`, close: "))" };
}

function loopBodies(node: Node): readonly Wrap[] {
  const inside = childrenOf(node).flatMap(loopBodies);
  if (!("body" in node) || !/^(?:For|While|DoWhile)/u.test(node.type)) return inside;
  const { start, end } = node.body as Node;
  return [{ start, end, open: "{globalThis.onTurn();", close: "}" }, ...inside];
}
