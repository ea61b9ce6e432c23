import { readFile } from "node:fs/promises";

/** The script and the style sheet of the page. */
export interface PageFiles {
  readonly script: string;
  readonly style: string;
}

// The same place from `src` and from `dist`, because both are directly below the package.
const folder = new URL("../dist/page/", import.meta.url);

/** The page of this package is not built. The message says what to do. */
export class PageMissingError extends Error {
  override readonly name = "PageMissingError";
}

/** Reads the built page. Rejects with `PageMissingError` if it is not built. */
export async function pageFiles(): Promise<PageFiles> {
  try {
    const [script, style] = await Promise.all([
      readFile(new URL("page.global.js", folder), "utf8"),
      readFile(new URL("page.css", folder), "utf8"),
    ]);
    return { script, style };
  } catch (cause) {
    throw new PageMissingError(
      "the page of the inspector is not built; in a clone of the repository run `npm run dev -- build`, else install the package again",
      { cause },
    );
  }
}

/** The title of the page. */
const pageTitle = "self-context-manager inspector";

/** The title of a snapshot, by which it is recognised. */
export const snapshotTitle = "self-context-manager inspector: snapshot";

/** By which a snapshot without texts is recognised, near its title. */
export const redactedMark = '<meta name="texts" content="removed">';

/** The content of a page without scripts. */
export const noScript =
  "<noscript>This page needs JavaScript. In a terminal, <code>scm view</code> shows the same calls as text.</noscript>";

/** The HTML of the page that the server gives. */
export const pageHtml: string = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${pageTitle}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
</head>
<body>
<div id="page"></div>
${noScript}
<script src="/page.js" defer></script>
</body>
</html>
`;
