// The checks of a scenario run inside of a test.
/* oxlint-disable vitest/no-standalone-expect */
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect } from "vitest";

import { say, use } from "../answers.ts";
import { numberedLines } from "../made-files.ts";
import type { Scenario, Stage } from "../scenario.ts";
import { countIn, lastRequest, newOwnLines } from "../sent-lines.ts";
import { allowances } from "../size-report.ts";

const content = numberedLines("known", 200);
const edited = content.replace("known line 100 ", "EDITED line 100 ");

type Change = (stage: Stage, path: string) => Promise<void>;

/** Returns a situation in which a file changes behind the model's back, and the model continues. */
function changed(
  name: string,
  tokens: number,
  change: Change,
  checks: Scenario["checks"],
): Scenario {
  return {
    name,
    files: () => ({ "known.txt": content }),
    async play(stage) {
      await stage.prompt("read it", use(["read", { path: "known.txt" }]), say("read"));
      await change(stage, join(stage.workFolder, "known.txt"));
      stage.allow(tokens);
      await stage.noticed("absence");
      await stage.prompt("and now", use(["bash", { command: "echo work" }]), say("done"));
      await stage.prompt("once more", say("done"));
    },
    checks,
  };
}

/** The lines of the file are in view once, and the extension says something about it in a few lines. */
const saysLittle: Scenario["checks"] = {
  "delivers the content no second time": ({ managed }) => {
    const counts = [1, 100, 200].map((line) =>
      countIn(lastRequest(managed), `known line ${line} `),
    );
    expect(counts).toEqual([1, 1, 1]);
  },
  "adds at most two lines": (sides) => {
    expect(newOwnLines(sides, 2, sides.managed.steps.length).length).toBeLessThanOrEqual(2);
  },
};

/** A name is no change of the content. */
const reportsNoVersion: Scenario["checks"] = {
  "reports no new version": (sides) => {
    const lines = newOwnLines(sides, 2, sides.managed.steps.length);
    expect(lines.filter((line) => /replaces|\+0 -0/u.test(line))).toEqual([]);
  },
};

const reports = (part: RegExp): Scenario["checks"] => ({
  "reports the change": (sides) => {
    const lines = newOwnLines(sides, 2, sides.managed.steps.length).join("\n");
    expect(lines).toMatch(part);
  },
});

/** Files that change behind the model's back. */
export const changedFiles: readonly Scenario[] = [
  changed(
    "a small edit by another program",
    allowances.difference,
    async (_stage, path) => await writeFile(path, edited),
    reports(/EDITED line 100 |known\.txt/u),
  ),
  changed(
    "a rewrite by another program",
    allowances.notice,
    async (_stage, path) => await writeFile(path, numberedLines("rewritten", 200)),
    {
      ...reports(/known\.txt/u),
      "sends no line of the new content": ({ managed }) =>
        expect(lastRequest(managed).text).not.toContain("rewritten line"),
    },
  ),
  changed(
    "a file that is renamed",
    allowances.notice,
    async (_stage, path) => await rename(path, path.replace("known.txt", "moved.txt")),
    { ...saysLittle, ...reportsNoVersion, ...reports(/moved\.txt/u) },
  ),
  changed(
    "a file that the user names",
    allowances.notice,
    async ({ command }) => await command("/context name f1 notes"),
    { ...saysLittle, ...reportsNoVersion },
  ),
  changed(
    "a file that is deleted and made again",
    2 * allowances.notice,
    async ({ noticed }, path) => {
      await rm(path);
      await noticed("absence");
      await writeFile(path, content);
    },
    saysLittle,
  ),
  {
    name: "files that are deleted and overwritten, whose text is asked for again",
    files: () => ({ "known.txt": content, "other.txt": numberedLines("original", 40) }),
    async play(stage) {
      const { isManaged, prompt } = stage;
      const work = use(["bash", { command: "echo work" }]);
      await prompt(
        "read and change",
        use(["read", { path: "known.txt" }]),
        use(["read", { path: "other.txt" }]),
        use(["write", { path: "other.txt", content: "nothing\n" }]),
        use(["bash", { command: "rm known.txt" }]),
        isManaged ? use(["deactivate", { id: "f1" }], ["deactivate", { id: "f2" }]) : work,
        say("changed"),
      );
      await stage.noticed("absence");
      stage.allow(Math.ceil((content.length + 10_000) / 4));
      await stage.resume();
      await prompt(
        "restore them",
        isManaged ? use(["activate", { id: "f1" }], ["activate", { id: "f2@1" }]) : work,
        say("restored"),
      );
    },
    checks: {
      "shows the texts as they were": ({ plain, managed }) => {
        for (const side of [plain, managed])
          for (const line of ["known line 200 ", "original line 40 "])
            expect(countIn(lastRequest(side), line)).toBeGreaterThanOrEqual(1);
        const { results } = lastRequest(managed).messages.findLast(
          ({ results: found }) => found.size > 0,
        ) ?? { results: new Map<string, string>() };
        expect([...results.values()].join("\n")).toMatch(/original line 40 |known line 200 /u);
      },
    },
  },
];
