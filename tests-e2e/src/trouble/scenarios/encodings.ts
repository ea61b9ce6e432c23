// The checks of a scenario run inside of a test.
/* oxlint-disable vitest/no-standalone-expect */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { expect } from "vitest";

import { pixel } from "../../managed-script.ts";
import { say, use } from "../answers.ts";
import type { Scenario } from "../scenario.ts";
import { hasResult, lastRequest, requestAt, resultIn } from "../sent-lines.ts";

/** "日本語のテキスト" in Shift-JIS. */
const shiftJis = Buffer.from("93fa967b8cea82cc8365834c83588367", "hex");

/** Files that are not plain UTF-8 with line feeds, by what they are. */
const files: Readonly<Record<string, string | Uint8Array>> = {
  "latin-1.txt": Buffer.from("Grüße aus Köln\nund Straße\n", "latin1"),
  "utf-16.txt": Buffer.from("\uFEFFtwo bytes each\nsecond line\n", "utf16le"),
  "shift-jis.txt": Buffer.concat([Buffer.from("first line\n"), shiftJis, Buffer.from("\nlast\n")]),
  "nul.txt": "before\u0000after\nsecond line\n",
  "crlf.txt": "one\r\ntwo\r\nthree\r\n",
  "bom.txt": "\uFEFFone\ntwo\n",
  "no-end.txt": "one\ntwo without an end",
  "empty.txt": "",
};
const names = Object.keys(files);

/** All paths, in the order in which they are read. */
const paths = [...names, "folder", "pixel.png", "absent.txt"];

/** Files in other encodings, and paths that are no text. */
export const encodings: readonly Scenario[] = [
  {
    name: "files in mixed encodings",
    files: () => ({ ...files, "pixel.png": pixel }),
    async play({ prompt, workFolder, resume }) {
      await mkdir(join(workFolder, "folder"), { recursive: true });
      await prompt(
        "read all",
        ...names.slice(0, -1).map((path) => use(["read", { path }])),
        // Pi marks the last block for the cache, and the Messages API refuses a mark on an empty block.
        use(["read", { path: "empty.txt" }], ["read", { path: "folder" }]),
        use(["read", { path: "pixel.png" }]),
        use(["read", { path: "absent.txt" }]),
        say("read"),
      );
      await prompt("and now", say("still there"));
      await resume();
      await prompt("once more", say("still there"));
    },
    checks: {
      // For the empty file, chat completions get a text of Pi's own, so only legal requests are expected.
      ...Object.fromEntries(
        [...names.slice(0, -1), "folder", "absent.txt"].map(
          (name): [string, Scenario["checks"][string]] => [
            `shows the text of ${name} that plain Pi shows`,
            ({ plain, managed }) => {
              const call = paths.indexOf(name) + 1;
              const after = plain.steps.findIndex(({ request }) => hasResult(request, call)) + 1;
              for (const step of [after, plain.steps.length]) {
                const text = resultIn(requestAt(plain, step), call).trimEnd();
                expect(requestAt(managed, step).text).toContain(text);
              }
            },
          ],
        ),
      ),
      "shows the image": ({ plain, managed }) => {
        const images = [plain, managed].map((side) =>
          lastRequest(side).messages.reduce((sum, message) => sum + message.images, 0),
        );
        expect(images).toEqual([1, 1]);
      },
    },
  },
];
