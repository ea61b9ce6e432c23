import { isPlaceholder, looksRandom } from "./looks-random.ts";
import type { SecretSpan } from "./secret-rule.ts";

export const urlPasswordRule = "url-password";
export const authorizationRule = "authorization";

const userAndPassword =
  /:\/\/(?<user>[^\s/:@"'`\\<>()[\]{}]{0,80}):(?<secret>[!#-&*-.0-9;=?A-Z^_a-z|~]{4,200})@[A-Za-z0-9[]/y;

/** Passwords of examples and of databases on the developer's own machine. */
const commonPassword =
  /^(?:pass(?:word|wd)?\d{0,3}|pwd|pw|secret|postgres(?:ql)?|root|admin|user(?:name)?|mysql|mariadb|mongo|redis|guest|test(?:ing|er)?\d{0,3}|dev(?:elopment)?|local(?:host)?|docker|token|key|api[_-]?key|hunter2|foo|bar|baz|abc\d*|db|app|rabbitmq|default|none|null|\d{1,6})$/iu;

/** Returns the passwords in URLs. */
export function urlPasswords(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  for (let at = text.indexOf("://"); at !== -1; at = text.indexOf("://", at + 3)) {
    userAndPassword.lastIndex = at;
    const match = userAndPassword.exec(text);
    const { user = "", secret = "" } = match?.groups ?? {};
    if (match === null || !isPassword(user, secret)) continue;
    const end = at + match[0].length - 2;
    found.push({ start: end - secret.length, end, rule: urlPasswordRule });
  }
  return found;
}

function isPassword(user: string, secret: string): boolean {
  if (secret.toLowerCase() === user.toLowerCase() || commonPassword.test(secret)) return false;
  return !isPlaceholder(secret) && !/^[$%{*<]|\$\{|pass(?:word)?$|^[A-Z_]+$/u.test(secret);
}

const header =
  /uthorization\\?["'\]]{0,2}[ \t]{0,4}[:=][ \t]{0,4}\\?["'`]?(?:[A-Za-z-]{3,16}[ \t]{1,4})?(?<secret>[\w+/.~-]{12,4000}={0,2})/y;
const scheme = /earer[ \t]{1,4}\\?["']?(?<secret>[\w+/.~-]{16,4000}={0,2})/y;

/** Returns the credentials of requests: in a header `Authorization`, and behind the word *Bearer*. */
export function authorizations(text: string): readonly SecretSpan[] {
  return [...behind(text, "uthorization", header), ...behind(text, "earer ", scheme)];
}

function behind(text: string, anchor: string, pattern: RegExp): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  for (let at = text.indexOf(anchor); at !== -1; at = text.indexOf(anchor, at + anchor.length)) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    const secret = match?.groups?.["secret"];
    if (match === null || secret === undefined || !isCredential(secret)) continue;
    const end = at + match[0].length;
    found.push({ start: end - secret.length, end, rule: authorizationRule });
  }
  return found;
}

function isCredential(secret: string): boolean {
  if (!/[0-9]/u.test(secret) && secret.length < 24) return false;
  return looksRandom(secret, 0.33);
}
