import { resolve } from "node:path";
import type { Plugin } from "vitest/config";

/** A fault that the tests of a package must find when it is put into the package's sources. */
export interface DeliberateFault {
  /** The source file, from the package's `src`. */
  readonly file: string;
  /** A text that the file has exactly once. */
  readonly of: string;
  /** The text that replaces it. */
  readonly becomes: string;
  /** The damage that a user would notice. */
  readonly breaks: string;
}

/** A list of faults, and the package whose own tests must find them. */
export interface FaultyPackage {
  readonly name: string;
  readonly faults: readonly DeliberateFault[];
}

/** How often a text is in another. */
export function occurrences(source: string, text: string): number {
  return source.split(text).length - 1;
}

/** Puts a fault into a module when Vitest loads it; no file changes. `folder` is the package's. */
export function faultPlugin(folder: string, fault: DeliberateFault): Plugin {
  const faulty = resolve(folder, "src", fault.file);
  return {
    name: "deliberate-fault",
    enforce: "pre",
    // Vitest keeps what it transformed between runs; a faulty module must not be kept.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (resolve(id) === faulty ? false : undefined)),
    transform(source, id) {
      if (resolve(id) !== faulty) return undefined;
      if (occurrences(source, fault.of) !== 1)
        throw new Error(`${fault.file} does not have this text exactly once: ${fault.of}`);
      return { code: source.replace(fault.of, () => fault.becomes), map: null };
    },
  };
}
