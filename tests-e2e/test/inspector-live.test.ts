import { createInterface } from "node:readline";

import { piExtension } from "@self-context-manager/adapter-pi";
import { openAnthropicModel, type Reply, toolCalls } from "@self-context-manager/evaluate/loopback";
import { describe, expect, it } from "vitest";

import { join } from "node:path";

import { openCheckedPage } from "../src/browser/checked-page.ts";
import { browserProblem, openBrowser } from "../src/browser/open-browser.ts";
import { openView } from "../src/inspector/inspected.ts";
import { openIn } from "../src/managed-run.ts";
import { startScm } from "../src/moving/scm-process.ts";
import { openPiSdk } from "../src/pi-sdk.ts";
import { piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";

const problem = await browserProblem();

const replies: readonly Reply[] = [
  toolCalls(["read0", "read", { path: "a.txt" }]),
  { type: "text", text: "I have read it." },
  toolCalls(["run0", "bash", { command: "seq 200" }]),
  toolCalls(["read1", "read", { path: "b.txt" }]),
  { type: "text", text: "That is all of it." },
];

interface ScmInspect extends AsyncDisposable {
  readonly url: string;
  /** Ends the command as Ctrl-C does, and returns its exit code. */
  interrupt(): Promise<number | null>;
}

/** Runs `scm inspect latest` as a user does. */
async function scmInspect(storePath: string): Promise<ScmInspect> {
  const child = startScm({ kind: "sqlite", at: storePath }, ["inspect", "latest"]);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  const closed = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  const interrupt = async (): Promise<number | null> => {
    child.kill("SIGINT");
    return await closed;
  };
  for await (const line of createInterface(child.stdout))
    return { url: line, interrupt, [Symbol.asyncDispose]: async () => void (await interrupt()) };
  throw new Error(`scm inspect ended: ${said}`);
}

describe.skipIf(problem !== undefined).each(piVersions.slice(-1))(
  "the page while Pi $version runs",
  (pi) => {
    it("shows new calls without a reload, and says when the inspector has ended", async () => {
      await using browser = await openBrowser();
      await using model = await openAnthropicModel({
        script: ({ index }) => replies[index] ?? { type: "text", text: "over" },
      });
      await using workspace = await openPiWorkspace({
        model,
        api: "anthropic-messages",
        files: { "a.txt": "the first file\n".repeat(50), "b.txt": "the second file\n".repeat(80) },
      });
      const extension = piExtension({ openContext: openIn(workspace, {}) });
      await using sdk = await openPiSdk({ pi, workspace, factories: [extension] });
      await sdk.prompt("read a.txt");
      await using inspect = await scmInspect(join(workspace.agentFolder, "store.sqlite"));
      await using checked = await openCheckedPage(browser);
      const { page } = checked;

      await openView(checked, inspect.url);
      const calls = page.locator("dl div", { has: page.getByText("Calls", { exact: true }) });
      const before = await calls.locator("dd").first().innerText();
      await page.evaluate("globalThis.notReloaded = true");
      await sdk.prompt("now the rest");
      await expect.poll(async () => await calls.locator("dd").first().innerText()).toBe("5");

      expect(before).toBe("2");
      expect(await page.evaluate("globalThis.notReloaded")).toBe(true);
      expect(await page.locator("main").innerText()).toContain("b.txt");
      expect(checked.problems()).toEqual([]);
      expect(await inspect.interrupt()).toBe(0);
      await page.getByText(/Reconnecting|Ended/u).waitFor();
      expect([...model.failures, ...sdk.errors]).toEqual([]);
    });
  },
);
