import type { Java } from "./java.ts";

/** The files and the Java machine that a node is started with. */
export interface Artefacts {
  readonly java: Java;
  readonly engine: string;
  readonly classPath: string;
  /** Classes as the Java machine has them in memory, for a quicker start; undefined where they could not be made. */
  readonly archive: string | undefined;
}
