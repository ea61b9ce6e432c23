import type { Java } from "./java.ts";

/** The files and the Java with which a node is started. */
export interface Artefacts {
  readonly java: Java;
  readonly engine: string;
  readonly classPath: string;
  /** The path of the archive of loaded classes, for a faster start; undefined if it could not be made. */
  readonly archive: string | undefined;
}
