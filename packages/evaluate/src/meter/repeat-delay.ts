import { fieldsOf, isJsonList } from "@self-context-manager/objects";

import { jsonIn } from "./json-in.ts";

/** An answer by which a provider asks for a pause. */
export interface BusyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** The statuses of a provider that is busy. 529 is Anthropic's. */
const busyStatuses: ReadonlySet<number> = new Set([429, 503, 529]);

/** Errors with a busy status that a pause does not help. */
const isHopeless = /insufficient_quota|billing/iu;

const shortestPause = 2_000;
const longestPause = 60_000;

/** A provider that asks for a longer pause gets none: clients give up after 5 minutes without an answer. */
const longestAsked = 120_000;

/** Whether a status says that the provider is busy. */
export function isBusy(status: number): boolean {
  return busyStatuses.has(status);
}

/**
 * Returns the milliseconds to wait before a request is repeated: as long as the provider asks for, otherwise twice as
 * long with each attempt, from 2 to 60 seconds. Returns undefined if a repetition would not help. `attempt` counts from 0.
 */
export function repeatDelay(answer: BusyAnswer, attempt: number, now: number): number | undefined {
  if (!isBusy(answer.status) || isHopeless.test(answer.body)) return undefined;
  if (headerOf(answer, "x-should-retry") === "false") return undefined;
  const asked = askedDelay(answer, now);
  if (asked === undefined) return Math.min(shortestPause * 2 ** attempt, longestPause);
  return asked > longestAsked ? undefined : asked;
}

/** The pause that the provider asks for: in a header, or as Google does in the body. */
function askedDelay(answer: BusyAnswer, now: number): number | undefined {
  const milliseconds = numberIn(headerOf(answer, "retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const after = headerOf(answer, "retry-after");
  const seconds = numberIn(after);
  if (seconds !== undefined) return seconds * 1000;
  const date = after === undefined ? Number.NaN : Date.parse(after);
  if (!Number.isNaN(date)) return Math.max(date - now, 0);
  const details = fieldsOf(fieldsOf(jsonIn(answer.body))["error"])["details"];
  for (const detail of isJsonList(details) ? details : []) {
    const delay = fieldsOf(detail)["retryDelay"];
    const inBody = typeof delay === "string" ? numberIn(delay.replace(/s$/u, "")) : undefined;
    if (inBody !== undefined) return inBody * 1000;
  }
  return undefined;
}

function headerOf({ headers }: BusyAnswer, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(?:\.\d+)?$/u.test(text.trim()) ? Number(text) : undefined;
}
