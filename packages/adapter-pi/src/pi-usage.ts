import type { ReportedUsage } from "@self-context-manager/core";
import { soundUsage } from "@self-context-manager/core/host";

import { isFields } from "./pi-api.ts";

/** Reads the usage of one of Pi's answers. Returns undefined if it reports nothing about the prompt. */
export function piUsage(usage: unknown): ReportedUsage | undefined {
  if (!isFields(usage)) return undefined;
  const { input, cacheRead, cacheWrite } = usage;
  return soundUsage({ input, cacheRead, cacheWrite });
}
