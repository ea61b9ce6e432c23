import axe from "axe-core";
import type { BrowserContext, Page } from "playwright-core";

import type { TestBrowser } from "./open-browser.ts";

export interface CheckedPageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: "light" | "dark";
}

/** A tab that notes everything that a page of this project must not do. */
export interface CheckedPage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /**
   * What went wrong up to now: errors and violations of the content security policy, requests to another host than the
   * one of the first page, and requests that failed. A test expects none.
   */
  problems(): readonly string[];
  /** Returns the serious and the critical findings of axe on the present page, each with its places. */
  axe(): Promise<readonly string[]>;
}

/** The severities that fail a test. */
const failing: ReadonlySet<string | null> = new Set(["serious", "critical"]);

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly help: string;
    readonly nodes: readonly { readonly target: readonly unknown[]; readonly html: string }[];
  }[];
}

/** Runs in the page, because some violations have no line in its console. */
const reportViolations = `document.addEventListener("securitypolicyviolation", (event) => {
  console.error("policy violated: " + event.violatedDirective + " " + event.blockedURI);
});`;

/** Opens a tab in its own context, so that tabs share neither storage nor cache. */
export async function openCheckedPage(
  { browser }: TestBrowser,
  options: CheckedPageOptions = {},
): Promise<CheckedPage> {
  const { width = 1440, height = 900, colorScheme = "light" } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    locale: "en-US",
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  // A script that the browser puts in before the page's own is not subject to the page's policy.
  await context.addInitScript({ content: axe.source });
  await context.addInitScript({ content: reportViolations });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => void problems.push(`exception: ${error.message}`));
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // A page that ends its own request, or is left, has done nothing wrong.
    if (reason !== "net::ERR_ABORTED") problems.push(`failed: ${request.url()} ${reason}`);
  });
  let home: string | undefined;
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol === "data:" || protocol === "blob:" || protocol === "about:") return;
    home ??= `${protocol}//${host}`;
    if (`${protocol}//${host}` !== home) problems.push(`to another host: ${request.url()}`);
  });
  return {
    page,
    context,
    problems: () => problems,
    async axe() {
      const { violations } = await page.evaluate(
        async () =>
          await (globalThis as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run(),
      );
      return violations
        .filter(({ impact }) => failing.has(impact))
        .map(({ id, help, nodes }) =>
          [
            `${id}: ${help}`,
            ...nodes.map(({ target, html }) => `  ${target.join(" ")} ${html}`),
          ].join("\n"),
        );
    },
    [Symbol.asyncDispose]: async () => await context.close(),
  };
}
