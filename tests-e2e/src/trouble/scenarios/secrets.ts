// The checks of a scenario run inside of a test.
/* oxlint-disable vitest/no-standalone-expect */
import { expect } from "vitest";

import { say, use } from "../answers.ts";
import type { Scenario } from "../scenario.ts";
import { lastRequest } from "../sent-lines.ts";

// Joined here, so that no file contains a text that looks like a key.
const token = ["ghp", `${"q7Zr2Kd9".repeat(4)}Wm4x`].join("_");
const password = ["Xy7", "kq9Lm2", "Wd4vT8"].join("");
const inUrl = ["Tz9", "mQ4xc7", "Bn2"].join("");
const other = ["Rb5", "nw3Jz8", "Hf6cK1"].join("");
const keyLines = Array.from({ length: 8 }, (_, at) => `M${at}Zq7Kd9Wm4x`.repeat(6).slice(0, 64));
const key = ["BEGIN", ...keyLines, "END"]
  .map((line) =>
    keyLines.includes(line) ? line : ["-----", line, " RSA PRIV", "ATE KEY-----"].join(""),
  )
  .join("\n");

const environment = `# settings\nHOST=db.internal\nDB_PASSWORD=${password}\nURL=postgres://app:${inUrl}@db/x\n`;
const secrets = [token, password, inUrl, other, ...keyLines];

/** The number of the first call whose result is not that of a write. */
const reads = [1, 2, 3, 4, 6];

/** Secrets in a prompt, in files, in the output of a command and in arguments. */
export const secretTexts: readonly Scenario[] = [
  {
    name: "secrets in a prompt, in files and in outputs",
    files: () => ({ ".env": environment, "key.pem": `${key}\n`, "script.sh": "env\n" }),
    readsStore: true,
    async play({ prompt, resume }) {
      await prompt(
        `log in with ${token}`,
        use(["read", { path: ".env" }]),
        use(["read", { path: "key.pem" }]),
        use(["read", { path: "key.pem", offset: 4, limit: 3 }]),
        use(["bash", { command: `echo "TOKEN=${token}"; cat key.pem` }]),
        use(["edit", { path: ".env", edits: [{ oldText: password, newText: other }] }]),
        use(["bash", { command: "cat .env" }]),
        use(["write", { path: "login.sh", content: `curl -H "Authorization: Bearer ${token}"\n` }]),
        say(`logged in with ${token}`),
      );
      await prompt("and now?", say("nothing"));
      await resume();
      await prompt("still there?", say("yes"));
    },
    checks: {
      "sends each text as plain Pi does": ({ plain, managed }) => {
        expect(managed.steps.length).toBe(plain.steps.length);
        for (const [index, { request }] of plain.steps.entries()) {
          const texts = managed.steps[index]?.request.messages.map(({ text }) => text) ?? [];
          for (const { text, role } of request.messages) {
            // An answer of a tool has a reference line, and a prompt in which results are is one message of several.
            if (role !== "tool")
              expect(texts.filter((one) => one.includes(text.trim()))).not.toEqual([]);
          }
        }
      },
      "shows each result with its secrets": ({ plain, managed }) => {
        const shown = lastRequest(managed).text;
        for (const call of reads)
          for (const line of (resultsOf(lastRequest(plain)).get(`call_${call}`) ?? "").split("\n"))
            expect(shown).toContain(line);
      },
      "sends no mark": ({ managed }) => {
        for (const { text } of managed.requests) expect(text).not.toContain("[secret: ");
      },
      "reports the edit of a password as the model's own": ({ managed }) => {
        expect(lastRequest(managed).text).not.toMatch(/ changed, v/u);
        expect(lastRequest(managed).text).toContain(`DB_PASSWORD=${other}`);
      },
      "has no secret in its data folder": ({ managed }) => {
        expect(managed.stored).toContain("[secret: github-token, 40 characters, ");
        for (const secret of secrets) expect(managed.stored).not.toContain(secret);
      },
      "notifies the user once, without a secret": ({ managed }) => {
        const about = managed.notices.filter((text) => text.includes("secret"));
        expect(about).toHaveLength(1);
        for (const secret of secrets) expect(about.join("\n")).not.toContain(secret);
      },
    },
  },
];

function resultsOf(request: ReturnType<typeof lastRequest>): ReadonlyMap<string, string> {
  return new Map(request.messages.flatMap(({ results }) => [...results]));
}
