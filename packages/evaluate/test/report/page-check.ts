import { hash } from "node:crypto";
import { expect } from "vitest";

/** Expects that every element of a page is closed in order, that tables have heads, and that the page loads nothing. */
export function checkPage(page: string): void {
  const open: string[] = [];
  for (const [tag, slash, name = ""] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/gu)) {
    if (slash === "/") expect(open.pop(), tag).toBe(name);
    else if (!tag.endsWith("/>") && name !== "wbr") open.push(name);
  }
  expect(open).toEqual([]);
  expect(page).not.toMatch(/<(?:script|link|img|iframe|object|embed|form|base)\b/u);
  expect(page).not.toMatch(/\s(?:style|on[a-z]+|src)\s*=\s*"/u);
  expect(page).not.toMatch(/url\(|@import/u);
  const tables = page.split("<table>").slice(1);
  for (const table of tables) {
    expect(table).toMatch(/^\s*<caption>/u);
    expect(table.split("</table>")[0]).not.toMatch(/<th(?! scope="(?:col|row)")[\s>]/u);
  }
  const ids = [...page.matchAll(/ id="([^"]*)"/gu)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, id = ""] of page.matchAll(/aria-labelledby="([^"]*)"/gu)) expect(ids).toContain(id);
  const style = /<style>([\s\S]*?)<\/style>/u.exec(page)?.[1] ?? "";
  expect(page).toContain(
    `style-src 'sha256-${hash("sha256", style, "base64")}'`.replaceAll("'", "&#39;"),
  );
}
