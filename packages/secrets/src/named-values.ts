import { isPlaceholder, looksRandom } from "./looks-random.ts";
import type { SecretSpan } from "./secret-rule.ts";

export const namedValueRule = "named-value";

/** The words that a name of a secret contains. */
const keyWord =
  /key|token|secret|passw(?:or)?d|passphrase|credential|_pwd|_pass\b|_auth\b|authtoken/gi;

/** What is between the word in a name and the value: the rest of the name, and the sign of an assignment. */
const assignment =
  /(?<rest>[\w.-]{0,30})(?<close>\\?["'`\])]{0,2})(?<sign>[ \t]{0,8}(?:=>|:=|=|:)[ \t]{0,8}|[ \t]{1,4}(?=[^\s=:]))(?<open>\\?["'`]?)/y;

/** Characters of a value. Quotes, signs of markup and a backslash end it. */
const value = /[!#-&*-;=?-[\]^_a-~]{6,400}/y;

/** Characters before the word that can belong to its name. */
const longestName = 48;

/**
 * Names that contain a word and are not those of a secret: of public keys, of a place where a secret is, of counts. Names are
 * compared in small letters and without signs.
 */
const otherName =
  /public|pubkey|keyid|keyname|keyboard|keycode|monkey|turkey|keyword|keyring|keystore|keyspace|primarykey|foreignkey|partitionkey|sortkey|cachekey|hashkey|rowkey|objectkey|storagekeyprefix|idempotency|maxtoken|tokenizer|tokentype|tokencount|tokenlimit|tokenurl|tokenendpoint|nexttoken|nextpage|pagetoken|continuationtoken|synctoken|cursor|secretname|secretref|secretkeyref|secretid|secretarn|secretversion|passwordhash|passwordreset|passwordfield|passwordpolicy|siteverify|sitekey|deploykeyid|keyfingerprint|fingerprint|checksum|integrity|sha(?:1|256|512)/u;

/** What a name can have behind the word. */
const rest =
  /^(?:s|[_.-]?(?:\d{1,2}|v\d|value|default|main|current|new|old|prod\w*|dev\w*|stag\w*|live|test|primary|secondary|base64|b64|base|json|id|access|plain|raw|string|data))?$/iu;

/** Names in which `key` means a credential. */
const credentialKey =
  /(?:api|access|secret|private|auth|sign(?:ing|ature)?|encrypt(?:ion)?|crypt|master|licen[cs]e|account|storage|shared|service|subscription|ingest(?:ion)?|write|app(?:lication)?|client|deploy|admin|server|webhook|session|cookie|jwt|hmac|security|consumer|bot|provider|root|host|ssh)[_.-]?key/iu;

/**
 * Returns the values that are assigned to names of secrets: lines of an environment and of `.env` files, fields of JSON, YAML
 * and TOML, options of commands. A value counts if it looks as if a program or a careful person had made it.
 */
export function namedValues(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  keyWord.lastIndex = 0;
  for (let match = keyWord.exec(text); match !== null; match = keyWord.exec(text)) {
    const span = valueBehind(text, match.index, match[0]);
    if (span === undefined) continue;
    found.push(span);
    keyWord.lastIndex = span.end;
  }
  return found;
}

function valueBehind(text: string, at: number, keyword: string): SecretSpan | undefined {
  const behind = at + keyword.length;
  assignment.lastIndex = behind;
  const sign = assignment.exec(text);
  if (sign === null) return undefined;
  const { rest: after = "", sign: by = "", open = "", close = "" } = sign.groups ?? {};
  const before = nameBefore(text, at);
  const name = before + text.slice(at, behind) + after;
  const isOption = by.trim() === "";
  if (isOption && !/^--?[a-z]/u.test(name)) return undefined;
  if (open === "" && close.includes(")")) return undefined;
  value.lastIndex = behind + sign[0].length;
  const found = value.exec(text);
  if (found === null) return undefined;
  const given = open === "" ? bareValue(found[0]) : found[0];
  const end = found.index + given.length;
  // A value that has other characters is not known as a whole.
  if (open !== "" && !text.startsWith(open, end)) return undefined;
  const isVariable = /^[A-Z][A-Z0-9_]*$/u.test(name) && by === "=";
  const isWanted = isSecretName(name, after, keyword, isVariable);
  if (!isWanted || !isSecretValue(given, { name, isVariable, isQuoted: open !== "" }))
    return undefined;
  return { start: found.index, end, rule: namedValueRule };
}

function nameBefore(text: string, at: number): string {
  let start = at;
  while (start > 0 && at - start < longestName && /[\w.-]/u.test(text[start - 1] ?? "")) start -= 1;
  return text.slice(start, at);
}

/** A value without quotes ends before the sign that ends a sentence, a list or a call. */
function bareValue(text: string): string {
  return text.replace(/[,;:.!?*]+$/u, "");
}

function isSecretName(name: string, after: string, keyword: string, isVariable: boolean): boolean {
  const plain = name.toLowerCase().replaceAll(/[_.-]/gu, "");
  if (otherName.test(plain)) return false;
  if (isVariable)
    return (
      !/_(?:ID|FILE|PATH|URL|URI|NAME|TYPE|COUNT|LENGTH|LIMIT|TTL|VERSION|PREFIX|HEADER|ENDPOINT|REGION|ARN|HASH|ALGORITHM)$/u.test(
        name,
      ) || /SECRET_ACCESS|CLIENT_SECRET_ID$/u.test(name)
    );
  if (!rest.test(after) && !/^_?(?:access_?)?key$/iu.test(after)) return false;
  return keyword.toLowerCase() !== "key" || credentialKey.test(name);
}

interface ValueContext {
  readonly name: string;
  readonly isVariable: boolean;
  readonly isQuoted: boolean;
}

/** A UUID names something in nearly all texts. */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

/** Expressions of programs and templates, paths and addresses. */
const expression =
  /[$%#]\{|\$\w|\$\(|\{\{|^[%$&*@{[]|\(|=>|^\/[a-z_-]*\/|^\.{1,2}\/|^~\/|:\/\/|^[\w-]+(?:\/[\w-]+)+\.\w+$|\/[a-z_-]{3,}\/[a-z_-]{3,}|\w:\w+[|,:]|^(?:arn|sha\d+|vault|op|secretsmanager|base64|env|file|ref|kms|ssm):/u;

/** A chain of words, such as a name in a program or of a file: `process.env.TOKEN`, `get-token-value`. */
const words = /^[A-Za-z]+(?:[_.:/?-]+[A-Za-z]+)*[0-9]{0,2}$/u;

function isSecretValue(given: string, { name, isVariable, isQuoted }: ValueContext): boolean {
  if (expression.test(given) || isPlaceholder(given)) return false;
  const isPassword = /pass|pwd/iu.test(name);
  if (uuid.test(given)) return isVariable && /API|SECRET|TOKEN|PASS/u.test(name);
  if (!/[0-9]/u.test(given) && !isLongMixed(given)) return false;
  if (!/[A-Za-z]/u.test(given)) return false;
  if (words.test(given) && !isLongMixed(given)) return false;
  if (isPassword)
    return given.length >= (isVariable || isQuoted ? 8 : 10) && looksRandom(given, 0.25);
  if (given.length < (isVariable ? 12 : 16)) return false;
  return looksRandom(given, isVariable ? 0.25 : 0.33);
}

/** Whether a text of letters only changes between capitals and small letters more often than a name does. */
function isLongMixed(text: string): boolean {
  return text.length >= 20 && looksRandom(text, 0.42);
}
