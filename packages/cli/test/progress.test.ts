import { expect, it } from "vitest";

import { type Progress, progress } from "../src/format/progress.ts";

/** Progress at a time that the test sets, and the text that it wrote. */
function progressAt(isTerminal: boolean): {
  readonly written: string[];
  readonly at: (time: number, share: number | undefined, versions: number) => void;
  readonly progress: Progress;
} {
  const written: string[] = [];
  let now = 0;
  const one = progress("importing", {
    write: (text) => written.push(text),
    isTerminal,
    now: () => now,
  });
  return {
    written,
    at(time, share, versions) {
      now = time;
      one.come(share, versions);
    },
    progress: one,
  };
}

it("prints a line every two seconds without a terminal, and nothing for a short action", () => {
  const tried = progressAt(false);
  const { written, progress: one } = tried;

  tried.at(500, 0.1, 10);
  tried.at(2_100, 0.3, 1_200);
  tried.at(3_000, 0.5, 2_000);
  tried.at(4_200, undefined, 2_500);
  tried.at(7_000, 1.2, 1);
  one[Symbol.dispose]();

  expect(written).toEqual([
    "importing [######--------------] 30 %, 1200 versions\n",
    "importing 2500 versions so far\n",
    "importing [####################] 100 %, 1 version\n",
  ]);
});

it("redraws one line on a terminal, and erases it once", () => {
  const tried = progressAt(true);
  const { written, progress: one } = tried;

  tried.at(50, 0.1, 10);
  tried.at(120, 0.3, 1_200);
  tried.at(150, 0.4, 1_300);
  tried.at(300, 0.5, 2_000);
  one[Symbol.dispose]();
  one[Symbol.dispose]();

  expect(written).toEqual([
    "\r\u001B[Kimporting [######--------------] 30 %, 1200 versions",
    "\r\u001B[Kimporting [##########----------] 50 %, 2000 versions",
    "\r\u001B[K",
  ]);
});

it("erases nothing if nothing was drawn", () => {
  const tried = progressAt(true);
  const { written, progress: one } = tried;

  tried.at(50, 0.1, 10);
  one[Symbol.dispose]();

  expect(written).toEqual([]);
});
