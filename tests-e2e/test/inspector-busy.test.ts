import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { type ContextManager, openContextManager } from "@self-context-manager/compose";
import { openInspector } from "@self-context-manager/inspector";
import { expect, it } from "vitest";

import { openCheckedPage } from "../src/browser/checked-page.ts";
import { browserProblem, openBrowser } from "../src/browser/open-browser.ts";
import { openInspected } from "../src/inspector/inspected.ts";

const problem = await browserProblem();

/** Begins a session: one in which nothing happened is not stored. */
const begin = async (manager: ContextManager, sessionId: string): Promise<void> => {
  const session = await manager.openSession({ harness: "test", sessionId });
  await session.recordSystemPrompt("host", "Be good.");
};

it.skipIf(problem !== undefined)(
  "the list of sessions appears although the store changes faster than it can be read",
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "scm-busy-"));
    stack.defer(async () => await rm(folder, { recursive: true }));
    const at = join(folder, "store.sqlite");
    await using manager = await openContextManager({ store: "sqlite", at, workspace: folder });
    const session = await manager.openSession({ harness: "test", sessionId: "one" });
    await using opened = await openInspected(at);
    const { store } = opened.inspected;
    await using inspector = await openInspector({
      ...opened.inspected,
      store: {
        ...store,
        find: async (...query) => {
          const found = await store.find(...query);
          await delay(1_500);
          return found;
        },
      },
    });
    await using browser = await openBrowser();
    await using checked = await openCheckedPage(browser);
    const over = new AbortController();
    const writing = (async () => {
      for (let prompt = 0; !over.signal.aborted; prompt += 1) {
        await session.recordSystemPrompt("host", `Prompt ${prompt}.`);
        await delay(300);
      }
    })();

    await checked.page.goto(inspector.url);
    const row = checked.page.getByRole("row", { name: /one/u });
    await expect.poll(async () => await row.count(), { timeout: 60_000 }).toBe(1);

    over.abort();
    await writing;
  },
);

it.skipIf(problem !== undefined)(
  "a session that was made while the page opened appears",
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "scm-busy-"));
    stack.defer(async () => await rm(folder, { recursive: true }));
    const at = join(folder, "store.sqlite");
    await using manager = await openContextManager({ store: "sqlite", at, workspace: folder });
    await begin(manager, "one");
    await using opened = await openInspected(at);
    const { store } = opened.inspected;
    let isFirst = true;
    await using inspector = await openInspector({
      ...opened.inspected,
      store: {
        ...store,
        changesSince: async (...asked) => {
          // The list of sessions was read before.
          if (isFirst) {
            isFirst = false;
            await delay(1_500);
            await begin(manager, "two");
          }
          return await store.changesSince(...asked);
        },
      },
    });
    await using browser = await openBrowser();
    await using checked = await openCheckedPage(browser);

    await checked.page.goto(inspector.url);

    const row = checked.page.getByRole("row", { name: /two/u });
    await expect.poll(async () => await row.count(), { timeout: 60_000 }).toBe(1);
  },
);
