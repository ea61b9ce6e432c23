import type { ReportedUsage } from "@self-context-manager/core";

import { isFields } from "./pi-api.ts";

/** Reads the usage of one of Pi's answers. Returns undefined if it reports nothing about the prompt. */
export function piUsage(usage: unknown): ReportedUsage | undefined {
  if (!isFields(usage)) return undefined;
  const reported = {
    input: count(usage["input"]),
    cacheRead: count(usage["cacheRead"]),
    cacheWrite: count(usage["cacheWrite"]),
  };
  const total = reported.input + reported.cacheRead + reported.cacheWrite;
  return total > 0 ? reported : undefined;
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
