import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, sep } from "node:path";

import { findMutants, type Mutant } from "./find-mutants.ts";

/** A mutant of a workspace. */
export interface ChosenMutant extends Mutant {
  readonly id: number;
  /** From the root of the workspace, with `/`. */
  readonly file: string;
  /** The package and the folder in its `src`. */
  readonly room: string;
}

/** The packages that are mutated, as far as there are such: core, and what core was divided into. */
export const mutatedPackages: readonly string[] = ["core", "inspect", "links", "tracker"];

/**
 * Chooses mutants by a seed. The hash of a mutant's code and of the declaration around it decides, so the same code has
 * the same mutants in another file or package.
 */
export function chooseMutants(root: string, seed: number, count: number): readonly ChosenMutant[] {
  const all = filesIn(root).flatMap((file) => {
    const seen = new Map<string, number>();
    return findMutants(file, readFileSync(join(root, file), "utf8")).map((mutant) => {
      const { operator, within, of, becomes } = mutant;
      const name = [operator, within, of, becomes].join("\0");
      const ordinal = seen.get(name) ?? 0;
      seen.set(name, ordinal + 1);
      const rank = createHash("sha256").update(`${seed}\0${name}\0${ordinal}`).digest("hex");
      return { ...mutant, file, room: roomOf(file), rank };
    });
  });
  return all
    .toSorted((left, right) => (left.rank < right.rank ? -1 : 1))
    .slice(0, count)
    .map((mutant, id) => ({ ...mutant, id }));
}

function filesIn(root: string): readonly string[] {
  return mutatedPackages
    .map((name) => `packages/${name}/src`)
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .toSorted()
        .map((file) => `${folder}/${file.replaceAll(sep, "/")}`),
    );
}

function roomOf(file: string): string {
  const [, name = "", , ...path] = file.split("/");
  return [name, ...path.slice(0, -1)].join("/");
}
