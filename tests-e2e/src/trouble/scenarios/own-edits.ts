// The checks of a scenario run inside of a test.
/* oxlint-disable vitest/no-standalone-expect */
import { expect } from "vitest";

import { say, use } from "../answers.ts";
import { numberedLines } from "../made-files.ts";
import type { Scenario } from "../scenario.ts";
import { lastRequest, resultIn } from "../sent-lines.ts";

const lines = numberedLines("own", 60);

/** Files whose text differs from what Pi's `edit` compares: the text to find has none of it. */
const files: Readonly<Record<string, string>> = {
  "crlf.txt": lines.replaceAll("\n", "\r\n"),
  "bom.txt": `\uFEFF${lines.replaceAll("\n", "\r\n")}`,
  "blanks.txt": lines.replaceAll("\n", "  \n").replaceAll("own line 20 ", "“own” line 20 "),
};
const paths = Object.keys(files);

/** The number of the first edit among the calls. The files are read before. */
const firstEdit = paths.length + 1;

/** Three edits of two lines each, which leave the lines between them unchanged. */
const edits = paths.flatMap((path) =>
  [3, 12, 30].map((line) => {
    const [first = "", second = ""] = lines.split("\n").slice(line - 1);
    const newText = `EDITED ${line}\nEDITED ${line + 1}`;
    return { path, edits: [{ oldText: `${first.trimEnd()}\n${second.trimEnd()}`, newText }] };
  }),
);

/** Edits of the model in files that have other line ends than its arguments. */
export const ownEdits: readonly Scenario[] = [
  {
    name: "edits of several lines in files with other line ends",
    files: () => files,
    async play({ prompt, isManaged }) {
      await prompt(
        "read and edit",
        ...paths.map((path) => use(["read", { path }])),
        ...edits.map((edit) => use(["edit", edit])),
        say("edited"),
      );
      await prompt(
        "show them again",
        ...paths.map((path, index) =>
          isManaged
            ? use(["activate", { id: `f${index + 1}` }])
            : use(["bash", { command: `cat ${path}` }]),
        ),
        say("done"),
      );
    },
    checks: {
      "has made the edits": ({ managed }) => {
        for (const index of edits.keys())
          expect(resultIn(lastRequest(managed), firstEdit + index)).not.toContain("Could not");
      },
      "reports no change by others": ({ managed }) => {
        expect(lastRequest(managed).text).not.toMatch(/ changed, v/u);
      },
      "shows the edited files again": ({ managed }) => {
        for (const index of paths.keys()) {
          const text = resultIn(lastRequest(managed), firstEdit + edits.length + index);
          expect(text).not.toMatch(/has changed since|cannot/u);
        }
      },
    },
  },
];
