import { expect } from "vitest";

import { say, use } from "../answers.ts";
import { numberedLines } from "../made-files.ts";
import type { Scenario } from "../scenario.ts";
import { countIn, lastRequest } from "../sent-lines.ts";

/** Parts of long files and of long lines. */
export const ranges: readonly Scenario[] = [
  {
    name: "three ranges of a file of 5,000 lines",
    files: () => ({ "long.txt": numberedLines("long", 5_000) }),
    async play({ prompt, resume }) {
      await prompt(
        "look at three places",
        use(["read", { path: "long.txt", offset: 10, limit: 10 }]),
        use(["read", { path: "long.txt", offset: 2_500, limit: 10 }]),
        use(["read", { path: "long.txt", offset: 4_900, limit: 10 }]),
        say("seen"),
      );
      await resume();
      await prompt("and now", say("still there"));
    },
    checks: {
      "shows each line of the ranges once, and no other line": ({ managed }) => {
        const last = lastRequest(managed);
        const inside = [10, 19, 2_500, 2_509, 4_900, 4_909];
        const outside = [1, 9, 20, 1_200, 2_499, 2_510, 3_700, 4_899, 4_910, 5_000];
        const counts = (lines: readonly number[]): readonly number[] =>
          lines.map((line) => countIn(last, `long line ${line} `));
        expect(counts(inside)).toEqual(inside.map(() => 1));
        expect(counts(outside)).toEqual(outside.map(() => 0));
      },
    },
  },
  {
    name: "50 lines in the middle of a log of 17 MB after its head",
    files: () => ({ "server.log": numberedLines("server", 170_000, 100) }),
    async play({ prompt }) {
      await prompt(
        "look at the log",
        use(["read", { path: "server.log", limit: 50 }]),
        use(["read", { path: "server.log", offset: 90_000, limit: 50 }]),
        say("seen"),
      );
      await prompt("and now", say("still there"));
    },
    checks: {
      "shows the lines of both places": ({ managed }) => {
        const last = lastRequest(managed);
        const lines = [1, 50, 90_000, 90_049];
        expect(lines.map((line) => countIn(last, `server line ${line} `))).toEqual([1, 1, 1, 1]);
      },
    },
  },
  {
    name: "a file with one line of 2.2 MB",
    files: () => ({ "data.json": `{"numbers":[${"1234567,".repeat(275_000)}0]}` }),
    async play({ prompt }) {
      await prompt("read the data", use(["read", { path: "data.json" }]), say("too long"));
      await prompt("and now", say("still too long"));
    },
    checks: {
      "gives the model Pi's own advice": ({ plain, managed }) => {
        const advice = /exceeds [\d.]+KB limit/u;
        expect(lastRequest(plain).text).toMatch(advice);
        expect(lastRequest(managed).text).toMatch(advice);
      },
    },
  },
  {
    name: "a file with one line of 60 kB among short ones",
    files: () => ({
      "mixed.txt": `${numberedLines("short", 20)}${"x".repeat(60_000)}\n${numberedLines("tail", 20)}`,
    }),
    async play({ prompt }) {
      await prompt(
        "read it",
        use(["read", { path: "mixed.txt" }]),
        use(["read", { path: "mixed.txt", offset: 22 }]),
        say("read"),
      );
      await prompt("and now", say("still there"));
    },
    checks: {
      "shows the lines before and behind the long one": ({ managed }) => {
        const last = lastRequest(managed);
        expect(["short line 20 ", "tail line 20 "].map((one) => countIn(last, one))).toEqual([
          1, 1,
        ]);
      },
    },
  },
];
