import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { openLoopbackServer } from "@self-context-manager/evaluate/loopback";
import { afterAll, describe, expect, it } from "vitest";

import { openCheckedPage } from "../src/browser/checked-page.ts";
import { packedBrowser } from "../src/browser/chromium-files.ts";
import { browserProblem, openBrowser } from "../src/browser/open-browser.ts";
import { outlineOf, pageOutline } from "../src/browser/page-outline.ts";

const problem = await browserProblem();
const browser = problem === undefined ? openBrowser() : undefined;
afterAll(async () => await (await browser)?.[Symbol.asyncDispose]());

const strict =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";

const fine =
  '<!doctype html><html lang="en"><title>Fine</title><main><h1>Fine</h1><p>A text.</p></main></html>';

/** Serves one page under a strict policy. */
async function servePage(html: string, policy = strict) {
  return await openLoopbackServer(
    async (_body, path, outgoing) => {
      const isPage = path === "/";
      outgoing.writeHead(isPage || path === "/icon" ? 200 : 404, {
        "content-type": "text/html",
        "content-security-policy": policy,
      });
      outgoing.end(isPage ? html : "");
      await Promise.resolve();
    },
    (error) => {
      throw error;
    },
  );
}

async function problemsOf(
  html: string,
  policy?: string,
): Promise<{ problems: string; axe: string }> {
  await using server = await servePage(html, policy);
  await using checked = await openCheckedPage(await (browser ?? openBrowser()));
  await checked.page.goto(server.origin);
  const axe = (await checked.axe()).join("\n");
  return { problems: checked.problems().join("\n"), axe };
}

describe.skipIf(problem !== undefined)("a checked page", () => {
  it("has no problem if the page has none, under a strict policy", async () => {
    expect(await problemsOf(fine)).toEqual({ problems: "", axe: "" });
  });

  it("reports a script and a style that the policy forbids", async () => {
    const script = await problemsOf(fine.replace("<p>", "<script>1</script><p>"));
    const style = await problemsOf(fine.replace("<p>", '<p style="margin:0">'));

    expect(script.problems).toContain("policy violated: script-src-elem inline");
    expect(style.problems).toContain("policy violated: style-src-attr inline");
  });

  it("reports a file that is missing, and one of another host", async () => {
    const missing = await problemsOf(
      fine.replace("<main>", '<script src="/none.js"></script><main>'),
    );
    const page = fine.replace("<main>", '<script src="http://127.0.0.2:9/x.js"></script><main>');
    const forbidden = await problemsOf(page);
    const other = await problemsOf(page, "script-src http://127.0.0.2:9");

    expect(missing.problems).toContain("error: Failed to load resource");
    expect(forbidden.problems).toContain("script-src-elem http://127.0.0.2:9/x.js");
    expect(other.problems).toContain("to another host: http://127.0.0.2:9/x.js");
  });

  it("reports what people with a screen reader cannot use", async () => {
    const { axe } = await problemsOf(fine.replace("<p>", "<button></button><p>"));

    expect(axe).toContain("button-name: Buttons must have discernible text\n  button <button>");
  });

  it("has an outline of roles and names", async () => {
    await using server = await servePage(
      fine.replace("<p>", '<button>Call 17</button><a href="/x">Next</a><p>'),
    );
    await using checked = await openCheckedPage(await (browser ?? openBrowser()));
    await checked.page.goto(server.origin);

    expect(await pageOutline(checked.page)).toBe(
      '- main:\n  - heading "Fine" [level=0]\n  - button "Call 0"\n  - link "Next":\n  - paragraph: A text.\n',
    );
  });
});

describe.skipIf(process.platform !== "linux" || process.arch !== "x64")(
  "the packed browser",
  () => {
    it("brings the libraries that a machine without a desktop lacks", async () => {
      const { executablePath, environment } = await packedBrowser();

      const { stdout } = await promisify(execFile)("ldd", [executablePath], {
        env: { ...process.env, ...environment },
      });
      expect(stdout).not.toContain("not found");
      const folder = environment["LD_LIBRARY_PATH"]?.split(":")[0] ?? "";
      for (const name of ["libnss3", "libnssutil3", "libnspr4", "libexpat"])
        expect(stdout).toContain(`=> ${folder}/${name}.so`);
    });
  },
);

describe("an outline", () => {
  const row = (call: number, name: string): string =>
    `  - row "Call ${call} 2026-03-02 09:0${call}:12 1,2${call}0 tokens":\n    - cell "019cadc6-9a80-7000-8000-00000000000${call}"\n    - link "${name}":\n      - /url: "#/calls/${call}"`;

  it("has no ids and no numbers, and equal rows once", () => {
    const outline = outlineOf(`- table "Calls":\n${row(1, "f1")}\n${row(2, "f2")}\n  - row "None"`);

    expect(outline).toBe(
      '- table "Calls":\n  - row "Call 0 TIME 0 tokens":\n    - cell "ID"\n    - link "f0":\n  - row "None"\n',
    );
  });

  it("has one text for an estimate above, below and equal to the provider's count", () => {
    const outlines = ["is 0.1 % above", "is 3.4 % below", "equals"].map((how) =>
      outlineOf(`- caption: Our estimate ${how} the provider's count.`),
    );

    expect(new Set(outlines)).toEqual(
      new Set(["- caption: Our estimate is 0 % ABOVE OR BELOW the provider's count.\n"]),
    );
  });

  it("has the first two of many rows of a kind, and no contents of the session", () => {
    const rows = ["a.txt", "b.txt", "c.txt", "d.txt"].map((name, index) => row(index + 1, name));
    const text =
      '- group "text of message 3": all\n- paragraph: "hash 4bf92… or 76058… or dagT0OQbiCCM0ALxrt0eAw of 2.5k"';

    const outline = outlineOf(`- table "Calls":\n${rows.join("\n")}\n${text}`, {
      without: /text of message/u,
    });

    expect(outline).toContain("b.txt");
    expect(outline).not.toContain("c.txt");
    expect(outline).toMatch(
      /\n- group "text of message 0": …\n- paragraph: "hash HASH or HASH or HASH of 0"\n$/u,
    );
  });
});
