import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openContextManager } from "@self-context-manager/compose";
import { expect, it } from "vitest";

import { openCheckedPage } from "../src/browser/checked-page.ts";
import { browserProblem, openBrowser } from "../src/browser/open-browser.ts";
import { inspectStore } from "../src/inspector/inspected.ts";

const problem = await browserProblem();

it.skipIf(problem !== undefined)(
  "the page works in more tabs than a browser opens connections, and says in which it is not live",
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "scm-tabs-"));
    stack.defer(async () => await rm(folder, { recursive: true }));
    const at = join(folder, "store.sqlite");
    await using manager = await openContextManager({ store: "sqlite", at, workspace: folder });
    const session = await manager.openSession({ harness: "test", sessionId: "one" });
    // A session in which nothing happened is not stored.
    await session.recordSystemPrompt("host", "Be good.");
    await using inspector = await inspectStore(at);
    await using browser = await openBrowser();
    await using checked = await openCheckedPage(browser);
    const tabs = [checked.page];
    for (let tab = 1; tab < 8; tab += 1) tabs.push(await checked.context.newPage());

    for (const tab of tabs) {
      await tab.goto(inspector.url);
      await tab.getByRole("row", { name: /one/u }).waitFor({ timeout: 60_000 });
    }
    const crowded = async (): Promise<number> => {
      const states = tabs.map(async (tab) => await tab.locator(".status").innerText());
      return (await Promise.all(states)).filter((state) => state.includes("Not live")).length;
    };

    await expect.poll(crowded).toBe(4);
    for (const tab of tabs.slice(0, 4)) await tab.close();
    for (const tab of tabs.slice(4)) await tab.getByText("● Live").waitFor({ timeout: 60_000 });
  },
);
