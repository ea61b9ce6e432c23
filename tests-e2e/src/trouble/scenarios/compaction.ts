import { expect } from "vitest";

import { say, use } from "../answers.ts";
import { numberedLines } from "../made-files.ts";
import type { Scenario } from "../scenario.ts";
import { countIn, lastRequest } from "../sent-lines.ts";

const fileCount = 10;
const files = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from({ length: fileCount }, (_, index) => [
      `part-${index}.txt`,
      numberedLines(`part ${index}`, 700),
    ]),
  );

const readAll = Array.from({ length: fileCount }, (_, index) =>
  use(["read", { path: `part-${index}.txt` }]),
);

/** What the user's `/compact` frees. */
export const compaction: readonly Scenario[] = [
  {
    name: "a compaction by the user after ten files",
    files,
    async play({ prompt, compact }) {
      await prompt("read all parts", ...readAll, say("read"));
      await prompt("and now", say("ready"));
      await compact();
      await prompt("after the compaction", use(["bash", { command: "echo work" }]), say("done"));
      await prompt("and now", say("done"));
    },
    checks: {
      "sends the summary": ({ plain, managed }) => {
        for (const side of [plain, managed])
          expect(lastRequest(side).text).toContain("A summary of the work so far.");
      },
    },
  },
  {
    name: "a compaction by the user with a pinned file",
    files,
    async play(stage) {
      const { isManaged, prompt, compact } = stage;
      await prompt(
        "read all parts",
        ...readAll,
        isManaged ? use(["pin", { id: "f1" }]) : use(["bash", { command: "echo no pin" }]),
        say("read"),
      );
      await compact();
      // The pinned file stays.
      stage.allow(Math.ceil(numberedLines("part 0", 700).length / 4));
      await prompt("after the compaction", say("done"));
    },
    checks: {
      "keeps the pinned file": ({ managed }) =>
        expect(countIn(lastRequest(managed), "part 0 line 700 ")).toBe(1),
    },
  },
];
