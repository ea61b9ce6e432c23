import { expect, it } from "vitest";

import { progress } from "../src/format/progress.ts";

it("tells how far it has come every two seconds, and of something short nothing", () => {
  const lines: string[] = [];
  let time = 0;
  const told = progress(
    (line) => lines.push(line),
    () => time,
  );

  for (const [at, share, versions] of [
    [500, 0.1, 10],
    [2_100, 0.3, 1_200],
    [3_000, 0.5, 2_000],
    [4_200, undefined, 2_500],
    [7_000, 1.2, 1],
  ] as const) {
    time = at;
    told.come(share, versions);
  }

  expect(lines).toEqual([
    "[######--------------] 30 %, 1200 versions",
    "2500 versions so far",
    "[####################] 100 %, 1 version",
  ]);
});
