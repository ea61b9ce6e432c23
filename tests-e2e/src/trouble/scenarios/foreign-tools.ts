// The checks of a scenario run inside of a test.
/* oxlint-disable vitest/no-standalone-expect */
import { expect } from "vitest";

import { say, use } from "../answers.ts";
import { otherExtensions } from "../extension-paths.ts";
import { numberedLines } from "../made-files.ts";
import type { Scenario } from "../scenario.ts";
import { countIn, lastRequest } from "../sent-lines.ts";

const fileCount = 40;
const paths = Array.from({ length: fileCount }, (_, index) => `module-${index}.txt`);

const situations = [
  { when: "before the extension", extensions: { before: [otherExtensions.foreignActivate] } },
  { when: "after the extension", extensions: { after: [otherExtensions.foreignActivate] } },
  {
    when: "registered at the first prompt",
    extensions: { before: [otherExtensions.lateActivate] },
  },
];

/** The names of the context tools are taken. */
export const foreignTools: readonly Scenario[] = situations.map(
  ({ when, extensions }, index): Scenario => ({
    name: `foreign tools named activate, deactivate and pin, ${when}`,
    isOtherForm: index > 0,
    extensions,
    files: () =>
      Object.fromEntries(paths.map((path, index) => [path, numberedLines(`module ${index}`, 100)])),
    async play({ prompt }) {
      for (let start = 0; start < fileCount; start += 10) {
        await prompt(
          `read from ${start}`,
          ...paths.slice(start, start + 10).map((path) => use(["read", { path }])),
          use(["activate", { id: "venv" }]),
          say("read"),
        );
      }
      await prompt("and now", say("done"));
    },
    checks: {
      "leaves the other extension's tool in place": ({ managed }) =>
        expect(lastRequest(managed).text).toContain("environment venv: activate done"),
      "has an own tool activate that the instruction names, or removes nothing": ({
        plain,
        managed,
      }) => {
        const [others, last] = [lastRequest(plain), lastRequest(managed)];
        const own = last.tools.filter(
          (name) => name.endsWith("activate") && !others.tools.includes(name),
        );
        const isNamed = own.some((name) => new RegExp(`\\b${name}\\b`, "u").test(last.instruction));
        const missing = paths.filter((_, index) => countIn(last, `module ${index} line 50 `) === 0);
        expect(isNamed ? [] : missing).toEqual([]);
      },
    },
  }),
);
