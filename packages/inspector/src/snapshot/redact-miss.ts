import type { TimelineCall } from "@self-context-manager/core/inspect";

import { keptWord, removedText } from "./removed-text.ts";

const time = String.raw`(?:\d+ (?:seconds?|minutes?|hours|days)|an hour)`;
const pause = `Nothing was sent for ${time}, and the provider keeps unused text for ${time}\\.`;

/** The end of an epoch with its cause, which names nothing. It is at the beginning, before any name of an object. */
const epochEnd = new RegExp(`^(?:${pause} )?(Epoch \\d+ ended(?: because [^.]+)?\\.)`, "u");

/** Parts of the sentence of a miss in which no name of an object can be. Groups are names of models and origins. */
const keptParts: readonly RegExp[] = [
  new RegExp(pause, "u"),
  /^The model changed from (\S+) to (\S+), and each model has its own cache\./u,
  /^The system prompt changed \(([^()]+)\), so nothing after it could be read from the cache\./u,
  /The user went back, and the session continued from call \d+\./u,
  /The messages are others from message \d+ on/u,
  /The messages begin with those of the call before, but the cache was estimated to be empty\./u,
  /The messages begin with those of the call before, but the provider read only [\d,]+ of [\d,]+ tokens from its cache\./u,
];

/** The reason of a miss without names of objects: durations, models, and the numbers of calls, messages and epochs. */
export function redactedMiss({
  miss,
  epoch,
}: Pick<TimelineCall, "miss" | "epoch">): TimelineCall["miss"] {
  if (miss === undefined) return undefined;
  const { tokens, reason, text, isReported } = miss;
  const kept = keptParts.flatMap((part) => {
    const [found, ...groups] = part.exec(text) ?? [];
    const isSafe = groups.every((group) =>
      group.split(", ").every((word) => keptWord(word) === word),
    );
    if (found === undefined) return [];
    return isSafe ? [found.endsWith(".") ? found : `${found}.`] : [];
  });
  const [, ended] = epochEnd.exec(text) ?? [];
  // A reason that this program does not know is in the sentence as it is stored, and can be any text.
  const { endedBy = "" } = epoch ?? {};
  if (ended !== undefined && keptWord(endedBy) === endedBy) kept.push(ended);
  if (ended !== undefined && epoch !== undefined && epoch.left.length > 0)
    kept.push(`Contents that left the view: ${epoch.left.length}.`);
  return { tokens, reason, text: kept.length === 0 ? reason : kept.join(" "), isReported };
}

/** The name of a session without texts: its harness, and when it began. */
export function redactedHostId(harness: string, firstAt: string): string {
  const [, day, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/u.exec(firstAt) ?? [];
  const start = day === undefined ? removedText(firstAt) : `${day} ${minute} UTC`;
  return `${keptWord(harness)} ${start}`;
}
