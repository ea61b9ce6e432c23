import { everyLayout, openDocuments } from "@self-context-manager/compose";
import { updateSearch } from "@self-context-manager/links";
import {
  type InspectedStore,
  type Inspector,
  openInspector,
} from "@self-context-manager/inspector";
import type { ObjectStore } from "@self-context-manager/core";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { expect } from "vitest";

import { setTimeout } from "node:timers/promises";

import type { CheckedPage } from "../browser/checked-page.ts";

/** A SQLite store with everything that the inspector reads from it. Disposal closes it. */
export interface OpenedStore extends AsyncDisposable {
  readonly inspected: InspectedStore;
  /** Returns the newest version's id of the file with this path in the workspace. */
  fileId(path: string): Promise<string>;
}

export async function openInspected(storePath: string, workspace = ""): Promise<OpenedStore> {
  await using stack = new AsyncDisposableStack();
  const store = stack.use(await openSqliteStore({ path: storePath }));
  // The agent's own index depends on how often it had time, so the test makes one at once.
  const { parser, search } = stack.use(await openDocuments(store));
  await updateSearch(store, search, { mayContinue: () => true });
  const layouts = everyLayout();
  const opened = stack.move();
  return {
    inspected: { store, layouts, place: storePath, kind: "sqlite", parser, search },
    fileId: async (path) => await fileIdIn(store, `${workspace}/${path}`),
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}

/** Returns the id of the file with this path. */
export async function fileIdIn(store: ObjectStore, path: string): Promise<string> {
  const [file] = (await store.find({ where: { type: "file", path }, limit: 1 })).items;
  if (file === undefined) throw new Error(`the store has no file ${path}`);
  return file.body.id;
}

/** An inspector on a store that is only open for it. */
export interface InspectorOfStore extends Inspector, OpenedStore {}

export async function inspectStore(
  storePath: string,
  workspace?: string,
): Promise<InspectorOfStore> {
  await using stack = new AsyncDisposableStack();
  const opened = stack.use(await openInspected(storePath, workspace));
  const inspector = stack.use(await openInspector(opened.inspected));
  const all = stack.move();
  return {
    ...opened,
    url: inspector.url,
    urlAt: (place) => inspector.urlAt(place),
    [Symbol.asyncDispose]: async () => await all.disposeAsync(),
  };
}

/** Milliseconds in which a page that awaits nothing does not change. */
const quietMs = 300;

/** Opens an address of the inspector, and waits until nothing of the page is awaited any longer. */
export async function openView({ page }: CheckedPage, url: string): Promise<void> {
  await page.goto(url);
  await page.locator("main :is(h1, h2)").first().waitFor();
  const isLive = new URL(url).protocol === "http:";
  await page
    .getByRole("status")
    .filter({ hasText: isLive ? "Live" : "Snapshot" })
    .waitFor();
  await expect
    .poll(async () => await page.locator(".waiting").count(), { timeout: 60_000 })
    .toBe(0);
  // Parts of a view that have no word for waiting, such as the number of the last call, appear with their answers.
  for (let before = "", now = " "; before !== now;) {
    before = now;
    await setTimeout(quietMs);
    now = await page.locator("body").ariaSnapshot();
  }
}
