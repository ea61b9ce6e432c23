// How fast is the inspector's page, and how large?
//
// `picture`: milliseconds from the navigation to the drawn picture of a session. The server has just been opened at this
// session. `ratio` divides it by the same for a session of 5 calls, which is what the browser and the page
// need anyway; the rounds alternate. `draw`: arranging and drawing of all calls, in the page. `heap`: the JavaScript heap
// of the tab after a garbage collection. `bundle`: script and style sheet. Run it by hand after a build:
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e inspector-page
import { storeLongSession } from "@self-context-manager/bench/long-session";
import { everyLayout } from "@self-context-manager/compose";
import { openInspector } from "@self-context-manager/inspector";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { gzipSync } from "node:zlib";

import { openBrowser, type TestBrowser } from "../browser/open-browser.ts";
import { keepMeasured, median, rounded } from "../measured.ts";

const sessions = [
  { calls: 5, objects: 5 },
  { calls: 500, objects: 400, aimMilliseconds: 300 },
  { calls: 5_000, objects: 500, aimMilliseconds: 1_000 },
] as const;

/** Number of times that each page is opened. */
const rounds = 7;

interface Opened {
  readonly milliseconds: number;
  readonly arranged: number;
  readonly drawn: number;
  readonly heapMegabytes: number;
}

const folder = mkdtempSync(join(tmpdir(), "scm-page-"));
const pathOf = (calls: number): string => join(folder, String(calls), "store.sqlite");
const measured = new Map<number, Opened[]>();
try {
  await using browser = await openBrowser();
  for (const { calls, objects } of sessions) await storeLongSession(pathOf(calls), calls, objects);
  // The browser reads its own files with the first page.
  await openPage(browser, pathOf(5));
  for (let round = 0; round < rounds; round += 1)
    for (const { calls } of sessions)
      measured.set(calls, [...(measured.get(calls) ?? []), await openPage(browser, pathOf(calls))]);
} finally {
  rmSync(folder, { recursive: true });
}
const middle = (calls: number, figure: keyof Opened): number =>
  median((measured.get(calls) ?? []).map((one) => one[figure]));
keepMeasured("inspector-page", {
  picture: sessions.map(({ calls, ...session }) => ({
    calls,
    objects: session.objects,
    milliseconds: rounded(middle(calls, "milliseconds")),
    ...("aimMilliseconds" in session ? { aimMilliseconds: session.aimMilliseconds } : {}),
    ratio: rounded(middle(calls, "milliseconds") / middle(5, "milliseconds")),
    arrangeMilliseconds: rounded(middle(calls, "arranged")),
    drawMilliseconds: rounded(middle(calls, "drawn")),
    heapMegabytes: rounded(middle(calls, "heapMegabytes")),
  })),
  bundle: { kilobytesGzip: rounded(bundleBytes() / 1_000), aimKilobytes: 60 },
});

async function openPage({ browser }: TestBrowser, path: string): Promise<Opened> {
  await using store = await openSqliteStore({ path });
  const [session] = (await store.find({ where: { type: "session" }, limit: 1 })).items;
  if (session === undefined) throw new Error(`${path} has no session`);
  await using inspector = await openInspector({
    store,
    layouts: everyLayout(),
    place: path,
    kind: "sqlite",
    at: `sessions/${session.body.id}`,
  });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(inspector.url);
  const times = await timesOf(page);
  const heapMegabytes = await heapOf(page);
  await context.close();
  return { ...times, heapMegabytes };
}

/** Waits until the picture is drawn. A text as the condition would need `eval`, which the page's policy forbids. */
async function timesOf(page: Page): Promise<Omit<Opened, "heapMegabytes">> {
  return await page.evaluate(
    async () =>
      await new Promise((resolve) => {
        const look = (): void => {
          const [drawn] = performance.getEntriesByName("tokens-drawn");
          const [arranged] = performance.getEntriesByName("tokens-arranged");
          if (drawn === undefined || arranged === undefined) {
            setTimeout(look, 20);
            return;
          }
          resolve({
            milliseconds: drawn.startTime + drawn.duration,
            arranged: arranged.duration,
            drawn: drawn.duration,
          });
        };
        look();
      }),
  );
}

async function heapOf(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
}

function bundleBytes(): number {
  const dist = new URL("../../../packages/inspector/dist/page/", import.meta.url);
  return ["page.global.js", "page.css"].reduce(
    (sum, name) => sum + gzipSync(readFileSync(new URL(name, dist))).length,
    0,
  );
}
