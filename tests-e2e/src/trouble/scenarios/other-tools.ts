import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect } from "vitest";

import { say, use } from "../answers.ts";
import { otherExtensions } from "../extension-paths.ts";
import type { Scenario, Side } from "../scenario.ts";
import { allowances } from "../size-report.ts";
import { countIn, lastRequest, requestAt } from "../sent-lines.ts";

const secret = "tr0ub4dor-and-3";
const settings = `name=shop\nSECRET=${secret}\nlevel=1\n`;

function expectNever({ requests }: Side, part: string): void {
  const found = requests.flatMap(({ index, text }) => (text.includes(part) ? [index] : []));
  expect(found, `requests that contain ${JSON.stringify(part)}`).toEqual([]);
}

/** Returns a session about a file with a secret, with another extension that hides the secret. */
function redacted(
  name: string,
  extensions: Scenario["extensions"],
  isHiddenInRecord: boolean,
): Scenario {
  return {
    name,
    files: () => ({ "settings.txt": settings, "notes.md": "See [[settings.txt]].\n" }),
    ...(extensions === undefined ? {} : { extensions }),
    async play(stage) {
      const { isManaged, prompt, workFolder } = stage;
      // Plain Pi has no `activate`, so its model reads the file again.
      const again = isManaged
        ? use(["activate", { id: "settings.txt" }])
        : use(["read", { path: "settings.txt" }]);
      await prompt(
        "look at the settings",
        use(["read", { path: "settings.txt" }]),
        use(["bash", { command: "cat settings.txt" }]),
        use([
          "edit",
          { path: "settings.txt", edits: [{ oldText: "level=1", newText: "level=2" }] },
        ]),
        again,
        say("changed"),
      );
      await appendFile(join(workFolder, "settings.txt"), "colour=blue\n");
      stage.allow(allowances.difference);
      await stage.noticed();
      await prompt("and now", again, say("blue"));
      await stage.resume();
      await prompt("once more", use(["read", { path: "notes.md" }]), again, say("still"));
      await stage.fork();
      await prompt("in a fork", again, say("still"));
    },
    readsStore: true,
    checks: {
      "never sends the secret in plain Pi": ({ plain }) => expectNever(plain, secret),
      "never sends the secret with the extension": ({ managed }) => expectNever(managed, secret),
      "shows the masked text": ({ managed }) =>
        expect(requestAt(managed, 2).text).toContain("SECRET=[REDACTED]"),
      ...(isHiddenInRecord
        ? {
            "never stores the secret": ({ managed }) =>
              expect(managed.stored.includes(secret)).toBe(false),
          }
        : {}),
    },
  };
}

/** Returns a session in which the model writes the mask of a secret, and another extension puts the secret back. */
function masked(name: string, extensions: NonNullable<Scenario["extensions"]>): Scenario {
  return {
    name,
    extensions,
    files: () => ({ "settings.txt": settings, "limits.txt": "first=1\nsecond=2\n" }),
    async play(stage) {
      const { isManaged, prompt, workFolder } = stage;
      const again = (path: string) =>
        isManaged ? use(["activate", { id: path }]) : use(["read", { path }]);
      await prompt(
        "change the settings",
        use(["read", { path: "settings.txt" }]),
        use(["write", { path: "settings.txt", content: "name=shop\nSECRET=<<S1>>\nlevel=2\n" }]),
        again("settings.txt"),
        use(["read", { path: "limits.txt" }]),
        use([
          "edit",
          { path: "limits.txt", edits: [{ oldText: "first=1", newText: "first=<<S1>>" }] },
        ]),
        again("limits.txt"),
        use(["write", { path: "copy.txt", content: "copy=<<S1>>\n" }]),
        again("copy.txt"),
        use(["write", { path: "plan.txt", content: "OWN PLAN of the model\n" }]),
        again("plan.txt"),
        say("changed"),
      );
      for (const path of ["settings.txt", "limits.txt", "copy.txt"])
        expect(await readFile(join(workFolder, path), "utf8")).toContain(secret);
      await stage.resume();
      await prompt(
        "once more",
        again("settings.txt"),
        again("limits.txt"),
        again("copy.txt"),
        again("plan.txt"),
        say("still"),
      );
    },
    checks: {
      "never sends the secret in plain Pi": ({ plain }) => expectNever(plain, secret),
      "never sends the secret with the extension": ({ managed }) => expectNever(managed, secret),
      "names the read for a text with the secret": ({ managed }) => {
        for (const step of [4, 9])
          expect(requestAt(managed, step).messages.at(-1)?.text).toContain("call read");
      },
      "shows the text that the model wrote itself": ({ managed }) =>
        expect(countIn(requestAt(managed, 11), "OWN PLAN of the model\n~~~")).toBe(1),
    },
  };
}

const local = "LOCAL CONTENT of this machine";
const remote = "REMOTE CONTENT of the other machine";

/** Extensions that change, replace or forbid tools. */
export const otherTools: readonly Scenario[] = [
  redacted(
    "a redactor of results before the extension",
    { before: [otherExtensions.redactResults] },
    true,
  ),
  {
    ...redacted(
      "a redactor of results after the extension",
      { after: [otherExtensions.redactResults] },
      true,
    ),
    isOtherForm: true,
  },
  {
    ...redacted(
      "a redactor of requests before the extension",
      { before: [otherExtensions.redactRequests] },
      true,
    ),
    isOtherForm: true,
  },
  // The extension gets the same list as the host's record has, with the secret, so the store has it too.
  redacted(
    "a redactor of requests after the extension",
    { after: [otherExtensions.redactRequests] },
    false,
  ),
  masked("a masker that puts secrets back, before the extension", {
    before: [otherExtensions.maskSecrets],
  }),
  {
    ...masked("a masker that puts secrets back, after the extension", {
      after: [otherExtensions.maskSecrets],
    }),
    isOtherForm: true,
  },
  {
    name: "tools of another machine",
    extensions: { before: [otherExtensions.remoteFiles] },
    files: () => ({
      "app.conf": `${local}\nsecond\n`,
      "made.txt": `${local}\n`,
      "../remote/app.conf": `${remote}\nsecond\n`,
      "../remote/only-there.txt": `${remote} only\n`,
    }),
    async play(stage) {
      const { isManaged, prompt, workFolder } = stage;
      const again = (path: string) =>
        isManaged ? use(["activate", { id: path }]) : use(["read", { path }]);
      await prompt(
        "look at the other machine",
        use(["read", { path: "app.conf" }]),
        use(["read", { path: "only-there.txt" }]),
        use(["bash", { command: "cat app.conf" }]),
        use(["write", { path: "made.txt", content: "made by the model\n" }]),
        use(["edit", { path: "app.conf", oldText: "second", newText: "SECOND" }]),
        use(["read", { path: "app.conf" }]),
        say("seen"),
      );
      await writeFile(join(workFolder, "app.conf"), `${local}, changed\n`);
      await stage.noticed();
      await prompt("and now", again("app.conf"), again("made.txt"), say("seen"));
      await stage.resume();
      await prompt("once more", again("app.conf"), say("seen"));
    },
    readsStore: true,
    checks: {
      "never sends the local content": ({ managed }) => expectNever(managed, "LOCAL CONTENT"),
      "never stores the local content": ({ managed }) =>
        expect(managed.stored.includes("LOCAL CONTENT")).toBe(false),
      "shows the remote content of each read": ({ managed }) => {
        expect(countIn(requestAt(managed, 2), remote)).toBe(1);
        expect(countIn(requestAt(managed, 3), `${remote} only`)).toBe(1);
        expect(requestAt(managed, 7).text).toContain("SECOND");
      },
    },
  },
  {
    name: "a gate in front of private files",
    extensions: { before: [otherExtensions.gatePrivate] },
    files: () => ({
      "private/plan.md": "PRIVATE PLAN for nobody\n",
      "private/other.md": "PRIVATE OTHER for nobody\n",
      "notes.md": "See [[private/plan.md]] and [[other]].\n",
    }),
    async play(stage) {
      const { isManaged, prompt } = stage;
      const open = (path: string) =>
        isManaged ? use(["activate", { id: path }]) : use(["read", { path }]);
      await prompt(
        "look around",
        use(["bash", { command: "ls private; echo private/plan.md" }]),
        use(["read", { path: "notes.md" }]),
        use(["read", { path: "private/plan.md" }]),
        open("private/plan.md"),
        open("private/other.md"),
        say("closed"),
      );
      await stage.resume();
      await prompt("once more", open("private/plan.md"), say("closed"));
    },
    readsStore: true,
    checks: {
      "never sends a private content in plain Pi": ({ plain }) => expectNever(plain, "for nobody"),
      "never sends a private content with the extension": ({ managed }) =>
        expectNever(managed, "for nobody"),
      "never stores a private content": ({ managed }) =>
        expect(managed.stored.includes("for nobody")).toBe(false),
    },
  },
  {
    name: "hints in the results of read",
    extensions: { before: [otherExtensions.hintAfterRead] },
    files: () => ({ "a.txt": "first file\n", "b.txt": "second file\n" }),
    async play({ prompt, resume }) {
      await prompt(
        "read both",
        use(["read", { path: "a.txt" }]),
        use(["read", { path: "b.txt" }]),
        say("read"),
      );
      await resume();
      await prompt("and now", say("still there"));
    },
    checks: {
      "shows each hint": ({ plain, managed }) => {
        for (const step of [2, 3, 4]) {
          const [expected, found] = [plain, managed].map((side) =>
            countIn(requestAt(side, step), "HINT: run the linter"),
          );
          expect(found).toBe(expected);
        }
        expect(countIn(lastRequest(plain), "HINT: run the linter")).toBe(2);
      },
      "shows the content of both files": ({ managed }) => {
        const last = lastRequest(managed);
        expect(["first file", "second file"].map((one) => countIn(last, one))).toEqual([1, 1]);
      },
    },
  },
];
