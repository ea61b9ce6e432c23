import { runsEveryForm } from "@self-context-manager/store-contract";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { updatesDocs } from "./committed-outline.ts";
import { type CheckedPage, type CheckedPageOptions, openCheckedPage } from "./checked-page.ts";
import type { TestBrowser } from "./open-browser.ts";

/** The forms in which each view is shown in the documentation. */
const forms: readonly (Required<CheckedPageOptions> & { readonly name: string })[] = [
  { name: "light", width: 1440, height: 900, colorScheme: "light" },
  { name: "dark-phone", width: 390, height: 844, colorScheme: "dark" },
  { name: "dark", width: 1440, height: 900, colorScheme: "dark" },
  { name: "light-phone", width: 390, height: 844, colorScheme: "light" },
];

/** The forms of a view in this run: all in a long one, otherwise the first. */
const formsOfRun = runsEveryForm("inspector") || updatesDocs ? forms : forms.slice(0, 1);

/**
 * Opens a view in each form of this run, and calls `check` with each. With the name of a picture,
 * `SCM_UPDATE_DOCS=1` also writes one of each to `docs/images/inspector`.
 */
export async function inEachForm(
  browser: TestBrowser,
  picture: string | undefined,
  open: (page: CheckedPage) => Promise<void>,
  check: (page: CheckedPage, form: string) => Promise<void>,
): Promise<void> {
  for (const form of formsOfRun) {
    await using checked = await openCheckedPage(browser, form);
    await open(checked);
    if (updatesDocs && picture !== undefined) await takePicture(checked, `${picture}-${form.name}`);
    await check(checked, form.name);
  }
}

async function takePicture({ context, page }: CheckedPage, name: string): Promise<void> {
  const url = new URL(`../../../docs/images/inspector/${name}.webp`, import.meta.url);
  const devtools = await context.newCDPSession(page);
  // The browser's own encoder makes WebP, which is a quarter of the size of its PNG.
  const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 70 });
  await mkdir(dirname(url.pathname), { recursive: true });
  await writeFile(url, Buffer.from(data, "base64"));
}
