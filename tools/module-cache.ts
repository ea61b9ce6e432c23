import { join } from "node:path";

/**
 * Settings of Vitest: transformed modules are kept between runs, because every package loads those of the packages below
 * it. Runs with deliberate faults do without, because the key of a kept module knows nothing of the fault.
 */
export const moduleCache = {
  fsModuleCache: true,
  fsModuleCachePath: join(import.meta.dirname, "..", "node_modules", ".cache", "vitest-modules"),
} as const;
