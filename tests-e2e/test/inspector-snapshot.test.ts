import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { runsEveryForm } from "@self-context-manager/store-contract";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { afterAll, describe, expect, it } from "vitest";

import { openCheckedPage } from "../src/browser/checked-page.ts";
import { browserProblem, openBrowser } from "../src/browser/open-browser.ts";
import { fileIdIn, openView } from "../src/inspector/inspected.ts";
import { openRecordedSession, type RecordedSession } from "../src/inspector/recorded-session.ts";
import { runScm } from "../src/moving/scm-process.ts";

const problem = await browserProblem();

/** A short run has snapshots of the session's beginning, because each call takes its time to be written. */
const isOfAll = runsEveryForm("inspector");

interface Snapshot {
  readonly recorded: RecordedSession;
  /** The store of which the snapshots are. */
  readonly storePath: string;
  readonly path: string;
  readonly redactedPath: string;
}

const stack = new AsyncDisposableStack();
const browser = problem === undefined ? openBrowser().then((one) => stack.use(one)) : undefined;
const made = write();
for (const one of [browser, made]) one?.catch(() => undefined);
afterAll(async () => {
  await Promise.allSettled([browser, made]);
  await stack.disposeAsync();
});

/** Writes both snapshots with the command, as a user does. */
async function write(): Promise<Snapshot> {
  const recorded = stack.use(await openRecordedSession());
  const storePath = isOfAll ? recorded.storePath : recorded.beginningPath;
  const place = { kind: "sqlite", at: storePath } as const;
  const folder = dirname(storePath);
  const path = join(folder, "whole.html");
  const redactedPath = join(folder, "redacted.html");
  for (const options of [[path], [redactedPath, "--redact"]]) {
    const run = await runScm(place, ["inspect", recorded.sessionId, "--out", ...options]);
    if (run.code !== 0) throw new Error(run.stderr);
  }
  return { recorded, storePath, path, redactedPath };
}

const places: readonly (readonly [name: string, place: (ids: Ids) => string, shown: RegExp])[] = [
  ["the list of sessions", () => "sessions", /310/u],
  ["the session", ({ session }) => `sessions/${session}`, /Tokens by object over calls/u],
  isOfAll
    ? ["a call", ({ session }) => `sessions/${session}/calls/212`, /Call 212[^]*Verified/u]
    : ["a call", ({ session }) => `sessions/${session}/calls/12`, /Call 12[^]*Verified/u],
  ["an object", ({ file }) => `objects/${file}?version=2&against=1`, /docs\/taxes\.md/u],
  ["a search", () => "search?words=taxes", /taxes/u],
];

interface Ids {
  readonly session: string;
  readonly file: string;
}

async function idsOf({ storePath, workspace, sessionId }: RecordedSession): Promise<Ids> {
  await using store = await openSqliteStore({ path: storePath });
  return { session: sessionId, file: await fileIdIn(store, `${workspace}/docs/taxes.md`) };
}

describe.skipIf(problem !== undefined)("a snapshot that is opened from the disk", () => {
  const forms = [
    ["whole", "path"],
    ["redacted", "redactedPath"],
  ] as const;
  const all = forms.flatMap(([form, field]) =>
    places.map(([name, place, shown]) => ({ form, field, name, place, shown })),
  );
  // A short run opens the session as it is, and a call of which texts were removed.
  const cases = isOfAll
    ? all
    : all.filter(({ form, name }) => name === (form === "whole" ? "the session" : "a call"));

  it.each(cases)(
    "shows $name ($form), without a server and without a problem",
    async ({ field, place, shown }) => {
      const { recorded, [field]: path } = await made;
      const ids = await idsOf(recorded);
      await using checked = await openCheckedPage(await (browser ?? openBrowser()));

      await openView(checked, `${pathToFileURL(path).href}#at=${place(ids)}`);

      expect(checked.problems()).toEqual([]);
      expect(await checked.page.locator("main").innerText()).toMatch(shown);
      expect(await checked.axe()).toEqual([]);
    },
    120_000,
  );

  it("says that it is one, and that texts were removed", async () => {
    const { path, redactedPath } = await made;
    const statusOf = async (file: string): Promise<string> => {
      await using checked = await openCheckedPage(await (browser ?? openBrowser()));
      await openView(checked, pathToFileURL(file).href);
      return await checked.page.getByRole("status").first().innerText();
    };

    const [whole, redacted] = [await statusOf(path), await statusOf(redactedPath)];
    expect(whole).toMatch(/^\S* Snapshot of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/u);
    expect(redacted).toMatch(/^\S* Snapshot of .*, texts removed$/u);
  });
});

/** The longest run of words of a content that a redacted file may have. */
const mostWords = 7;

/** Returns all runs of eight words of a text. */
function* runsOf(text: string): Generator<string> {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  for (let index = 0; index + mostWords < words.length; index += 1)
    yield words.slice(index, index + mostWords + 1).join(" ");
}

/** Returns the runs of eight words in all contents of the store. */
async function runsInStore(storePath: string): Promise<ReadonlySet<string>> {
  await using store = await openSqliteStore({ path: storePath });
  const runs = new Set<string>();
  let after: string | undefined;
  do {
    const query = { where: {}, limit: 200, ...(after === undefined ? {} : { after }) };
    const { items, next } = await store.find(query);
    for (const { body, version } of items) {
      // Views and sessions contain no texts of their own.
      if (body.type === "view" || body.type === "session") continue;
      for await (const stored of store.versions(body.id, { to: version })) {
        const { content } = stored.body;
        if (typeof content === "string") for (const run of runsOf(content)) runs.add(run);
      }
    }
    after = next;
  } while (after !== undefined);
  return runs;
}

describe("a redacted snapshot", () => {
  it("has no run of eight words of any content, and the whole one has them", async () => {
    const { storePath, path, redactedPath } = await made;
    const runs = await runsInStore(storePath);
    const found = async (file: string): Promise<readonly string[]> => {
      const text = (await readFile(file, "utf8")).replaceAll(/\\+[nt"]/gu, " ");
      return [...runsOf(text)].filter((run) => runs.has(run));
    };

    expect(runs.size).toBeGreaterThan(10_000);
    expect((await found(path)).length).toBeGreaterThan(1_000);
    expect(await found(redactedPath)).toEqual([]);
  });

  it("is smaller than the whole one, which is smaller than the store's messages would be", async () => {
    const { path, redactedPath } = await made;

    const [whole, redacted] = [(await stat(path)).size, (await stat(redactedPath)).size];
    expect(redacted).toBeLessThan(whole);
    // Each message is in the file once: 310 calls with 20,000 tokens each would have 25 MB.
    expect(whole).toBeLessThan(25_000_000);
  });
});
