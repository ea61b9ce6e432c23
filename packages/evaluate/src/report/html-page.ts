import { hash } from "node:crypto";

import { html, type Html } from "./html.ts";
import { pageStyle } from "./page-style.ts";

export interface PageContent {
  readonly title: string;
  readonly lead: Html;
  readonly body: Html;
  readonly foot: string;
}

/** Exactly the text that the policy has the hash of. */
const styleElement: Html = { markup: `<style>${pageStyle}</style>` };

/** A page that needs nothing but itself. Its policy allows its own style and nothing else, no script at all. */
export function htmlPage({ title, lead, body, foot }: PageContent): string {
  const policy = `default-src 'none'; style-src 'sha256-${hash("sha256", pageStyle, "base64")}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          ${lead}
        </header>
        <main>${body}</main>
        <footer>
          <p>${foot}</p>
        </footer>
      </body>
    </html> `.markup;
}

/** Names and values, as tiles. */
export function tiles(facts: readonly (readonly [name: string, value: Html | string])[]): Html {
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl> `;
}
