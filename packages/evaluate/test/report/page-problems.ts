import { hash } from "node:crypto";

/**
 * The problems of a page: elements that are not closed in order, tables without caption or heads, ids that are not unique,
 * and anything that would load something or run. A good page has none.
 */
export function pageProblems(page: string): readonly string[] {
  return [
    ...wrongClosings(page),
    ...found(page, /<(?:script|link|img|iframe|object|embed|form|base)\b[^>]*/gu),
    ...found(page, /\s(?:style|on[a-z]+|src)\s*=\s*"[^"]*"/gu),
    ...found(page, /url\([^)]*\)|@import/gu),
    ...tableProblems(page),
    ...idProblems(page),
    ...policyProblems(page),
  ];
}

function found(page: string, pattern: RegExp): readonly string[] {
  return [...page.matchAll(pattern)].map(([text]) => text);
}

function wrongClosings(page: string): readonly string[] {
  const open: string[] = [];
  for (const [tag, slash, name = ""] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/gu)) {
    if (slash === "") {
      if (!tag.endsWith("/>") && name !== "wbr") open.push(name);
    } else if (open.pop() !== name) return [`${tag} closes another element`];
  }
  return open.map((name) => `${name} is not closed`);
}

function tableProblems(page: string): readonly string[] {
  return page
    .split("<table>")
    .slice(1)
    .flatMap((table) => [
      ...(/^\s*<caption>/u.test(table) ? [] : ["a table has no caption"]),
      ...found(table.split("</table>")[0] ?? "", /<th(?! scope="(?:col|row)")[\s>]/gu),
    ]);
}

function idProblems(page: string): readonly string[] {
  const ids = [...page.matchAll(/ id="([^"]*)"/gu)].map(([, id]) => id);
  const wanted = [...page.matchAll(/aria-labelledby="([^"]*)"/gu)].map(([, id]) => id);
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is there twice`),
    ...wanted.filter((id) => !ids.includes(id)).map((id) => `${id} is missing`),
  ];
}

function policyProblems(page: string): readonly string[] {
  const style = /<style>([\s\S]*?)<\/style>/u.exec(page)?.[1] ?? "";
  const allowed = `style-src &#39;sha256-${hash("sha256", style, "base64")}&#39;`;
  return page.includes(allowed) ? [] : ["the policy does not allow the style"];
}
