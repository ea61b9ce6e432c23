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
  {
    name: "a compaction by the user that replaces a call for lines of the chat",
    async play(stage) {
      const { isManaged, prompt, compact } = stage;
      const ask = async (index: number): Promise<void> =>
        await prompt(
          `question ${index}\n${numberedLines(`question ${index}`, 600)}`,
          say("answer"),
        );
      for (let index = 0; index < 4; index += 1) await ask(index);
      const shown = Math.ceil((2 * numberedLines("question 0", 600).length) / 4);
      stage.allow(shown);
      await prompt(
        "look back",
        isManaged
          ? use(["activate", { id: "chat", from: 1, to: 1200 }])
          : use(["bash", { command: "echo no lines" }]),
        say("ok"),
      );
      for (let index = 4; index < 9; index += 1) await ask(index);
      await compact();
      stage.allow(-shown);
      await prompt("after the compaction", say("done"));
    },
    checks: {
      "no longer shows the lines": ({ managed }) => {
        expect(managed.steps.some(({ request }) => countIn(request, "c1 chat v") > 0)).toBe(true);
        expect(countIn(lastRequest(managed), "c1 chat v")).toBe(0);
      },
    },
  },
];
