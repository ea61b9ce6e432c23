import { pricesOf, unitsOf } from "../caching/priced-run.ts";
import type { PlayedGateway, PlayedStep } from "./played-gateway.ts";

/** A text of about 13,000 characters that names itself in each line. */
function lines(name: string): string {
  return Array.from(
    { length: 250 },
    (_, line) => `${name} line ${line} with some words in it\n`,
  ).join("");
}

/** The files that the long work reads. */
export const longFiles: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [`f${index}.txt`, lines(`file${index}`)]),
);

/** The 90 steps of a long turn: reading, running and writing, one after another. */
export const longWork: readonly PlayedStep[] = Array.from(
  { length: 30 },
  (_, index): PlayedStep[] => [
    [["read", { path: `f${index % 12}.txt` }]],
    [
      [
        "exec",
        { command: `for j in $(seq 1 200); do echo "run${index} output $j of a command"; done` },
      ],
    ],
    [["write", { path: `w${index}.txt`, content: lines(`note${index}`).slice(0, 6_000) }]],
  ],
).flat();

/** Returns the units that the requests of a session cost, with the prices of a cache that needs no marks. */
export function costOf(played: PlayedGateway, session?: string): number {
  return unitsOf(
    played.requestsOf(session).map(({ bill }) => bill),
    pricesOf.openai,
  );
}
