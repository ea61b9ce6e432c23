import { testScale } from "@self-context-manager/store-contract";
import { appendFile, stat, truncate } from "node:fs/promises";
import { join } from "node:path";

import { expect } from "vitest";

import { type Answer, say, use } from "../answers.ts";
import { numberedLines } from "../made-files.ts";
import type { Scenario, Sides, Stage } from "../scenario.ts";
import { newOwnLines } from "../sent-lines.ts";
import { allowances } from "../size-report.ts";

const turns = 10;

/** The size of a log that is far above 1 MiB, from which on the growth of a file is not read. */
const largeMegabytes = testScale.isLong ? 40 : 8;

/** Appends lines to a file and lets a watcher notice it. */
async function grow(stage: Stage, name: string, bytes: number, round: number): Promise<void> {
  const text = numberedLines(`round ${round}`, Math.ceil(bytes / 100), 100);
  await appendFile(join(stage.workFolder, name), text);
  stage.allow(allowances.notice);
  await stage.noticed();
}

/** Returns answers that work with other tools while a file grows before each of them. */
function workWhile(stage: Stage, name: string, bytes: number, count: number): readonly Answer[] {
  return Array.from({ length: count }, (_, round): Answer => async () => {
    await grow(stage, name, bytes, round);
    return use(["bash", { command: `echo work ${round}` }]);
  });
}

/** Expects that a line of the extension after a step names a file. */
function expectReported(sides: Sides, name: string, from: number): void {
  const lines = newOwnLines(sides, from, sides.managed.steps.length);
  expect(lines.filter((line) => line.includes(name))).not.toEqual([]);
}

/** Files that grow while the model works. */
export const growingFiles: readonly Scenario[] = [
  {
    name: "a log that grows by 60 kB a turn",
    files: () => ({ "app.log": numberedLines("start", 20, 100) }),
    async play(stage) {
      await stage.prompt(
        "watch the log",
        use(["read", { path: "app.log" }]),
        ...workWhile(stage, "app.log", 60_000, turns),
        say("done"),
      );
      await stage.prompt("and now", say("it grows"));
    },
    checks: {
      "reports to the model that the log has changed": (sides) =>
        expectReported(sides, "app.log", 2),
      "sends no line of the growth": ({ managed }) => {
        const grown = managed.steps.map(({ request }) => /round \d+ line \d+/u.test(request.text));
        expect(grown).toEqual(managed.steps.map(() => false));
      },
    },
  },
  {
    name: `a log of ${largeMegabytes} MB that grows`,
    files: () => ({ "large.log": numberedLines("start", largeMegabytes * 10_000, 100) }),
    async play(stage) {
      await stage.prompt(
        "watch the log",
        use(["read", { path: "large.log", limit: 20 }]),
        ...workWhile(stage, "large.log", 60_000, 3),
        say("done"),
      );
      await stage.prompt("and now", say("it grows"));
    },
    checks: {
      "reports to the model that the log has changed": (sides) =>
        expectReported(sides, "large.log", 2),
    },
  },
  {
    name: "a file beyond the size that is read, which changes",
    files: () => ({ "huge.log": numberedLines("start", 100, 100) }),
    async play(stage) {
      const path = join(stage.workFolder, "huge.log");
      // A file with a hole costs no space on disk.
      await truncate(path, 66 * 1024 * 1024);
      await stage.prompt(
        "look at the log",
        use(["read", { path: "huge.log", limit: 20 }]),
        async () => {
          await truncate(path, (await stat(path)).size + 4_096);
          stage.allow(allowances.notice);
          await stage.noticed();
          return use(["bash", { command: "echo work" }]);
        },
        say("done"),
      );
      await stage.prompt("and now", say("it grows"));
    },
    checks: {
      "reports to the model that the file has changed": (sides) =>
        expectReported(sides, "huge.log", 2),
    },
  },
];
