import { runsEveryForm } from "@self-context-manager/store-contract";
import { afterAll, describe, expect, it } from "vitest";

import { type CheckedPage, openCheckedPage } from "../src/browser/checked-page.ts";
import { committedOutline, updatesDocs } from "../src/browser/committed-outline.ts";
import { browserProblem, openBrowser } from "../src/browser/open-browser.ts";
import { pageOutline } from "../src/browser/page-outline.ts";
import { inEachForm } from "../src/browser/page-pictures.ts";
import { damagedCopy } from "../src/inspector/damaged-copy.ts";
import { type InspectorOfStore, inspectStore, openView } from "../src/inspector/inspected.ts";
import { openRecordedSession, type RecordedSession } from "../src/inspector/recorded-session.ts";

const problem = await browserProblem();

interface Opened {
  readonly recorded: RecordedSession;
  readonly inspector: InspectorOfStore;
  /** The inspector of the damaged copy. */
  readonly damaged: InspectorOfStore;
}

/** Everything that the tests of this file share: one session, one browser, and two servers. */
const stack = new AsyncDisposableStack();
const browser = problem === undefined ? openBrowser().then((one) => stack.use(one)) : undefined;
const opened = problem === undefined ? open() : undefined;
// Without a browser nothing waits for them; with one, a test reports their failure.
for (const one of [browser, opened]) one?.catch(() => undefined);
afterAll(async () => {
  await Promise.allSettled([browser, opened]);
  await stack.disposeAsync();
});

async function open(): Promise<Opened> {
  const recorded = stack.use(await openRecordedSession());
  const { storePath, workspace } = recorded;
  const copy = await damagedCopy(storePath);
  return {
    recorded,
    inspector: stack.use(await inspectStore(storePath, workspace)),
    damaged: stack.use(await inspectStore(copy.storePath, workspace)),
  };
}

async function shared() {
  if (browser === undefined || opened === undefined) throw new Error(problem);
  return { browser: await browser, ...(await opened) };
}

/** The texts of the session, which are no part of the page's structure. */
const contents = { without: /^\s*- group "(?:text of message|call of|lines|content|difference)/u };

interface View {
  readonly name: string;
  /** Returns the address. */
  readonly url: (opened: Opened) => Promise<string> | string;
  /** Whether the documentation has pictures of it. */
  readonly isPictured?: boolean;
  /** Whether it is another state of a view above. It is checked in a long run, and if the inspector has changed. */
  readonly isOtherState?: boolean;
  /** The status of the answer, if it is an error: the browser writes it into its console. */
  readonly status?: number;
}

const everyView: readonly View[] = [
  { name: "sessions", isPictured: true, url: ({ inspector }) => inspector.urlAt("sessions") },
  {
    name: "session",
    isPictured: true,
    url: ({ inspector, recorded }) => inspector.urlAt(`sessions/${recorded.sessionId}`),
  },
  {
    name: "session-miss",
    isOtherState: true,
    url: ({ inspector, recorded }) => inspector.urlAt(`sessions/${recorded.sessionId}?call=117`),
  },
  {
    name: "call",
    isPictured: true,
    url: ({ inspector, recorded }) => inspector.urlAt(`sessions/${recorded.sessionId}/calls/212`),
  },
  {
    name: "call-first",
    isOtherState: true,
    url: ({ inspector, recorded }) => inspector.urlAt(`sessions/${recorded.sessionId}/calls/1`),
  },
  {
    name: "call-epoch",
    isOtherState: true,
    url: ({ inspector, recorded }) => inspector.urlAt(`sessions/${recorded.sessionId}/calls/33`),
  },
  {
    name: "object",
    isPictured: true,
    url: async ({ inspector }) =>
      inspector.urlAt(`objects/${await inspector.fileId("docs/taxes.md")}?version=2&against=1`),
  },
  {
    name: "object-code",
    isOtherState: true,
    url: async ({ inspector }) =>
      inspector.urlAt(`objects/${await inspector.fileId("src/taxes/cz.mjs")}`),
  },
  {
    name: "search",
    isPictured: true,
    url: ({ inspector }) => inspector.urlAt("search?words=rounded"),
  },
  {
    name: "search-nothing",
    isOtherState: true,
    url: ({ inspector }) => inspector.urlAt("search?words=zeppelin"),
  },
  {
    name: "call-damaged",
    isPictured: true,
    url: ({ damaged, recorded }) => damaged.urlAt(`sessions/${recorded.sessionId}/calls/2`),
  },
  {
    name: "call-missing",
    isOtherState: true,
    url: ({ inspector, recorded }) => inspector.urlAt(`sessions/${recorded.sessionId}/calls/9999`),
    status: 404,
  },
  { name: "unknown", url: ({ inspector }) => inspector.urlAt("elsewhere") },
];

const views = everyView.filter(
  ({ isOtherState = false }) => !isOtherState || updatesDocs || runsEveryForm("inspector"),
);

/** Returns the problems of a page without the line by which the browser reports the status of an answer. */
function problemsOf(checked: CheckedPage, { status }: View): readonly string[] {
  return checked
    .problems()
    .filter((one) => status === undefined || !one.includes(`with a status of ${status}`));
}

describe.skipIf(problem !== undefined)("each view of the inspector", () => {
  it.each(views)(
    "$name has the committed structure, and no problem in any scheme and width",
    async (view) => {
      const all = await shared();
      const url = await view.url(all);

      await inEachForm(
        all.browser,
        view.isPictured === true ? view.name : undefined,
        async (page) => await openView(page, url),
        async (checked, form) => {
          const outline = await pageOutline(checked.page, contents);
          const problems = [...problemsOf(checked, view), ...(await checked.axe())];
          expect({ form, problems }).toEqual({ form, problems: [] });
          expect(outline).toBe(await committedOutline(view.name, outline));
          expect({ form, isTooWide: await isTooWide(checked) }).toEqual({ form, isTooWide: false });
        },
      );
    },
    120_000,
  );
});

/** Whether the whole page scrolls sideways. */
async function isTooWide({ page }: CheckedPage): Promise<boolean> {
  const width = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
  return await page.evaluate<boolean>(width);
}

describe.skipIf(problem !== undefined)("the inspector as somebody uses it", () => {
  /** Opens the inspector's first page as its URL names it. */
  async function begin(): Promise<CheckedPage & { readonly recorded: RecordedSession }> {
    const { browser: one, inspector, recorded } = await shared();
    const checked = await openCheckedPage(one);
    await openView(checked, inspector.url);
    return { ...checked, recorded };
  }

  it("leaves no token in the address, and works after a reload", async () => {
    await using checked = await begin();
    const { page } = checked;

    expect(page.url()).not.toContain("token");
    await page.reload();
    await page.getByRole("table").waitFor();
    expect(checked.problems()).toEqual([]);
  });

  it("leads from the sessions to a session, a call and an object by links", async () => {
    await using checked = await begin();
    const { page, recorded } = checked;

    await page.getByRole("table").getByRole("link").first().click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => page.url()).toContain(`sessions/${recorded.sessionId}`);
    await openView(
      checked,
      page.url().replace(/#.*/u, `#at=sessions/${recorded.sessionId}/calls/117`),
    );
    await page.getByText("Verified").waitFor();
    await page.getByText(/object(?:s)? in this call/u).click();
    await page.locator("main").getByRole("link", { name: "docs/currencies.md" }).first().click();
    await expect.poll(() => page.url()).toContain("#at=objects/");
    await page.getByRole("heading", { level: 1, name: /docs\/currencies\.md/u }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Call 117" }).waitFor();
    expect(checked.problems()).toEqual([]);
  });

  it("says why the cache missed at a call", async () => {
    await using checked = await begin();
    const { page, recorded } = checked;
    const origin = page.url().replace(/#.*/u, "");
    const missAt = async (call: number): Promise<string> => {
      await openView(checked, `${origin}#at=sessions/${recorded.sessionId}/calls/${call}`);
      await page.getByRole("heading", { level: 1, name: `Call ${call}` }).waitFor();
      return await page.getByRole("region", { name: "Tokens of the prompt" }).innerText();
    };

    // An epoch ended, and a breakpoint was before the cut.
    expect(await missAt(216)).not.toMatch(/epoch/iu);
    expect(await missAt(117)).toMatch(/Nothing was sent for 28 minutes[^]*Epoch \d+ ended/u);
    expect(await missAt(180)).toMatch(/model/iu);
    expect(await missAt(190)).toMatch(/provider/iu);
    expect(await missAt(241)).toMatch(/system prompt/iu);
  });

  it("finds a note by its words, and opens it", async () => {
    await using checked = await begin();
    const { page } = checked;

    await page.keyboard.press("/");
    await page.keyboard.type("rounded twice");
    await page.keyboard.press("Enter");
    await page
      .locator("main")
      .getByRole("link", { name: /notes\/difference\.md/u })
      .first()
      .click();
    await page.getByRole("heading", { level: 1, name: /notes\/difference\.md/u }).waitFor();
    expect(checked.problems()).toEqual([]);
  });

  it("says of a call only what it knows while the session is read", async () => {
    const { browser: one, inspector, recorded } = await shared();
    await using checked = await openCheckedPage(one);
    const { page } = checked;
    const held = Promise.withResolvers<undefined>();
    await page.route(new RegExp(`sessions/${recorded.sessionId}$`, "u"), async (route) => {
      await held.promise;
      await route.continue();
    });
    const tokens = page.getByRole("region", { name: "Tokens of the prompt" });

    await page.goto(inspector.urlAt(`sessions/${recorded.sessionId}/calls/212`));
    await tokens.waitFor();
    const before = await tokens.innerText();
    held.resolve(undefined);
    await tokens.getByRole("table").waitFor();

    expect(before).toMatch(/^Tokens of the prompt\s+Reading the session …$/u);
    expect(await tokens.innerText()).toContain("the provider's count.");
  });

  it("names the damaged object, and shows the rest of the call", async () => {
    const { browser: one, damaged, recorded } = await shared();
    await using checked = await openCheckedPage(one);

    await openView(checked, damaged.urlAt(`sessions/${recorded.sessionId}/calls/2`));

    const text = await checked.page.locator("main").innerText();
    expect(text).toContain("was changed or damaged since it was stored");
    expect(text).toContain("I look for it.");
    expect(text).not.toContain("Verified.");
  });
});
