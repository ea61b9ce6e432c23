import { isPlaceholder, looksRandom } from "./looks-random.ts";
import { isBoundary, type SecretSpan } from "./secret-rule.ts";

/** The form of a provider's credentials. */
interface KeyForm {
  readonly rule: string;
  /** The texts with which it begins, or which it contains at a known place. */
  readonly anchors: readonly string[];
  /**
   * Matches from the anchor on. The secret is the group `secret`, or else all of it. What is before the anchor and belongs to
   * the secret is the group `head` of a lookbehind.
   */
  readonly pattern: RegExp;
  /** Whether the form alone is not certain, so that the value must look random. */
  readonly isChecked?: boolean;
}

const hex = (count: number): string => `[0-9a-f]{${count}}(?![0-9A-Za-z])`;
const word = (least: number, most = 300): string => `[A-Za-z0-9]{${least},${most}}`;
const web = (least: number, most = 400): string => `[A-Za-z0-9_-]{${least},${most}}`;

function form(
  rule: string,
  anchors: string | readonly string[],
  tail: string,
  options: Pick<KeyForm, "isChecked"> = {},
): KeyForm {
  const all = typeof anchors === "string" ? [anchors] : anchors;
  const begin = all.map((one) => one.replaceAll(/[.+$/]/gu, String.raw`\$&`)).join("|");
  return { rule, anchors: all, pattern: new RegExp(`(?:${begin})${tail}`, "y"), ...options };
}

/** A form whose anchor is not its beginning. */
function inner(rule: string, anchors: readonly string[], pattern: RegExp): KeyForm {
  return { rule, anchors, pattern };
}

const checked = { isChecked: true };

/** The forms of providers. The first form that matches at an anchor counts. */
const forms: readonly KeyForm[] = [
  form("anthropic-key", "sk-ant-", `[a-z]{2,8}[0-9]{0,2}-${web(20)}`),
  form("openrouter-key", "sk-or-v1-", hex(64)),
  form("openai-key", "sk-", `(?:proj-|svcacct-|admin-|None-)${web(20)}`, checked),
  form("openai-key", "sk-", word(20, 200), checked),
  form("groq-key", "gsk_", word(40), checked),
  form("xai-key", "xai-", word(60), checked),
  form("perplexity-key", "pplx-", word(40), checked),
  form("replicate-token", "r8_", word(30), checked),
  form("hugging-face-token", ["hf_", "api_org_"], word(30), checked),
  form("nvidia-key", "nvapi-", web(40), checked),
  form("tavily-key", "tvly-", web(20), checked),
  form("langsmith-key", ["lsv2_pt_", "lsv2_sk_"], `[0-9a-f]{32}_[0-9a-f]{10}`),
  form(
    "aws-access-key-id",
    ["AKIA", "ASIA", "ABIA", "ACCA"],
    "[A-Z2-7]{16}(?![0-9A-Za-z])",
    checked,
  ),
  form("aws-bedrock-key", "ABSK", "[A-Za-z0-9+/]{80,200}={0,2}", checked),
  form("google-api-key", "AIza", "[A-Za-z0-9_-]{35}(?![0-9A-Za-z_-])", checked),
  form("google-client-secret", "GOCSPX-", web(24, 40), checked),
  form("google-access-token", "ya29.", web(20, 2000), checked),
  form("google-refresh-token", "1//0", web(30, 200), checked),
  form("github-token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], word(36), checked),
  form("github-token", "github_pat_", "[A-Za-z0-9_]{50,255}", checked),
  form(
    "gitlab-token",
    [
      "glpat-",
      "gloas-",
      "gldt-",
      "glrt-",
      "glcbt-",
      "glptt-",
      "glft-",
      "glimt-",
      "glagent-",
      "glsoat-",
    ],
    "[A-Za-z0-9_.-]{20,300}",
    checked,
  ),
  form(
    "slack-token",
    ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-"],
    "[A-Za-z0-9-]{16,300}",
    checked,
  ),
  form("slack-token", "xoxe.xox", "[bp]-[A-Za-z0-9-]{16,300}", checked),
  form("slack-token", "xapp-", "[0-9]-[A-Za-z0-9-]{20,300}", checked),
  form(
    "slack-webhook",
    "hooks.slack.com/",
    "(?:services|workflows|triggers)/(?<secret>[A-Za-z0-9/_-]{24,200})",
    checked,
  ),
  form(
    "discord-webhook",
    ["discord.com/api/", "discordapp.com/api/"],
    "webhooks/[0-9]{15,22}/(?<secret>[A-Za-z0-9_-]{40,120})",
  ),
  form(
    "discord-token",
    ["MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT", "Oj", "Oz"],
    String.raw`[A-Za-z0-9_-]{21,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![A-Za-z0-9_.-])`,
    checked,
  ),
  inner(
    "telegram-token",
    [":AA"],
    /(?<=(?<![0-9A-Za-z])(?<head>[0-9]{8,10})):AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/y,
  ),
  form("stripe-key", ["sk_live_", "sk_test_", "rk_live_", "rk_test_"], word(16), checked),
  form("stripe-webhook-secret", "whsec_", "[A-Za-z0-9+/]{24,100}={0,2}", checked),
  form("twilio-key", "SK", hex(32), checked),
  form("sendgrid-key", "SG.", String.raw`[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}`, checked),
  form("mailgun-key", "key-", hex(32), checked),
  form("brevo-key", "xkeysib-", "[0-9a-f]{64}-[A-Za-z0-9]{16}"),
  form("resend-key", "re_", "[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9_])", checked),
  form("npm-token", "npm_", word(36, 36), checked),
  form("pypi-token", "pypi-", web(60), checked),
  form("rubygems-key", "rubygems_", hex(48), checked),
  form("crates-token", "cio", word(32, 32), checked),
  form("docker-token", ["dckr_pat_", "dckr_oat_"], web(20), checked),
  form("digitalocean-token", ["dop_v1_", "doo_v1_", "dor_v1_"], hex(64)),
  form("cloudflare-key", "v1.0-", "[0-9a-f]{24}-[0-9a-f]{120,160}"),
  form("cloudflare-token", ["cfut_", "cfat_", "cfk_"], word(40), checked),
  form("heroku-key", "HRKU-", web(36), checked),
  form("databricks-token", "dapi", "[0-9a-f]{32}(?:-[0-9])?(?![0-9A-Za-z])", checked),
  form("vault-token", ["hvs.", "hvb.", "hvr."], web(24), checked),
  inner(
    "terraform-token",
    [".atlasv1."],
    /(?<=(?<![0-9A-Za-z])(?<head>[A-Za-z0-9]{14}))\.atlasv1\.[A-Za-z0-9_-]{50,80}/y,
  ),
  inner(
    "azure-client-secret",
    ["Q~"],
    /(?<=(?<![0-9A-Za-z_~.-])(?<head>[A-Za-z0-9_~.-]{3}[0-9]))Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])/y,
  ),
  form(
    "azure-storage-key",
    ["AccountKey=", "SharedAccessKey="],
    "(?<secret>[A-Za-z0-9+/]{40,90}={0,2})",
    checked,
  ),
  form("grafana-token", ["glsa_", "glc_"], "[A-Za-z0-9_+/=]{32,300}", checked),
  form("new-relic-key", "NRAK-", "[A-Z0-9]{27}", checked),
  form("sentry-token", ["sntrys_", "sntryu_"], "[A-Za-z0-9_+/=]{40,300}", checked),
  form("linear-key", "lin_api_", word(32), checked),
  form("notion-token", "ntn_", word(40), checked),
  form("figma-token", "figd_", web(38), checked),
  form("airtable-token", "pat", String.raw`[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![0-9A-Za-z])`),
  form("shopify-token", ["shpat_", "shpca_", "shppa_", "shpss_"], "[0-9a-fA-F]{32}(?![0-9A-Za-z])"),
  form("square-token", ["sq0atp-", "sq0csp-", "sq0idp-"], web(22, 60), checked),
  form("facebook-token", "EAA", word(80), checked),
  form("supabase-key", "sbp_", hex(40)),
  form("supabase-key", "sb_secret_", web(20), checked),
  form(
    "planetscale-token",
    ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
    "[A-Za-z0-9_.=-]{32,100}",
    checked,
  ),
  form("postman-key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
  form(
    "doppler-token",
    ["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."],
    "[A-Za-z0-9_.-]{40,100}",
    checked,
  ),
  form("pulumi-token", "pul-", hex(40)),
  form("atlassian-token", ["ATATT3", "ATCTT3", "ATBB"], "[A-Za-z0-9_=+/-]{28,300}", checked),
  form("artifactory-key", "AKCp", word(60), checked),
  form("age-secret-key", "AGE-SECRET-KEY-1", "[0-9A-Z]{58}"),
  form("tailscale-key", "tskey-", web(20), checked),
  form("contentful-token", "CFPAT-", web(40), checked),
  form("netlify-token", "nfp_", word(36), checked),
  form("vercel-token", ["vcp_", "vci_", "vca_", "vcr_", "vck_"], word(24), checked),
  form("posthog-key", "phx_", word(40), checked),
  form(
    "hubspot-token",
    ["pat-na1-", "pat-na2-", "pat-eu1-"],
    "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
  ),
  form("fly-token", ["fm1_", "fm2_", "fo1_"], "[A-Za-z0-9_+/=-]{40,2000}", checked),
  form("dropbox-token", "sl.", web(120, 2000), checked),
  form(
    "json-web-token",
    "eyJ",
    String.raw`[A-Za-z0-9_-]{8,4000}(?:\.[A-Za-z0-9_-]{8,16000}\.[A-Za-z0-9_-]{16,2000}|(?:\.[A-Za-z0-9_-]{0,16000}){4})(?![A-Za-z0-9_-])`,
    { isChecked: true },
  ),
];

const formsOfAnchor = new Map<string, KeyForm[]>();
for (const one of forms)
  for (const anchor of one.anchors)
    formsOfAnchor.set(anchor, [...(formsOfAnchor.get(anchor) ?? []), one]);

/** The anchors, of two with the same beginning the longer one first. */
const anchors = new RegExp(
  [...formsOfAnchor.keys()]
    .toSorted((left, right) => (left < right ? 1 : -1))
    .map((one) => one.replaceAll(/[.+$/]/gu, String.raw`\$&`))
    .join("|"),
  "g",
);

/** The names of the rules for the credentials of providers. */
export const providerRules: readonly string[] = [...new Set(forms.map(({ rule }) => rule))];

/** Characters of the shortest credential with its anchor, and of the shortest part of one that has no sign within. */
const shortest = 20;
const shortestPart = 16;

const isWord = 1;
const isDigit = 2;
const isSign = 4;

/** The characters of credentials: letters and digits with what connects them, and signs between their parts. */
const kinds = new Uint8Array(128);
for (const letter of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-")
  kinds[letter.charCodeAt(0)] = isWord;
for (const digit of "0123456789") kinds[digit.charCodeAt(0)] = isWord | isDigit;
for (const sign of ".+/=~:") kinds[sign.charCodeAt(0)] = isSign;

/**
 * Returns the credentials of known providers in a text, by their forms. Each has a part of 16 or more letters and digits, so a
 * look at every sixteenth character finds the few places where one can be.
 */
export function providerKeys(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  let start = 0;
  while (start + shortestPart <= text.length) {
    let at = start + shortestPart - 1;
    while (at >= start && (kindAt(text, at) & isWord) !== 0) at -= 1;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    let end = start + shortestPart;
    while ((kindAt(text, end) & isWord) !== 0) end += 1;
    if (hasDigit(text, start, end)) {
      while (kindAt(text, start - 1) !== 0) start -= 1;
      while (kindAt(text, end) !== 0) end += 1;
      if (end - start >= shortest) addFrom(text, start, end, found);
    }
    start = end + 1;
  }
  return found;
}

/** The kind of a character; 0 for any that no credential has, and outside of the text. */
function kindAt(text: string, at: number): number {
  return kinds[text.charCodeAt(at)] ?? 0;
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if ((kindAt(text, at) & isDigit) !== 0) return true;
  return false;
}

/** Adds the credentials of a run of characters. */
function addFrom(text: string, start: number, end: number, found: SecretSpan[]): void {
  anchors.lastIndex = 0;
  const run = text.slice(start, end);
  for (let match = anchors.exec(run); match !== null; match = anchors.exec(run)) {
    if (run.length - match.index < shortest - longestHead) return;
    const span = spanAt(text, match[0], start + match.index);
    if (span === undefined) continue;
    found.push(span);
    anchors.lastIndex = span.end - start;
  }
}

/** Characters of a credential that can be before its anchor. */
const longestHead = 14;

function spanAt(text: string, anchor: string, at: number): SecretSpan | undefined {
  for (let length = anchor.length; length > 0; length -= 1) {
    // `sk-` begins also what begins with a longer anchor and is not of its form.
    for (const one of formsOfAnchor.get(anchor.slice(0, length)) ?? []) {
      one.pattern.lastIndex = at;
      const match = one.pattern.exec(text);
      if (match === null) continue;
      const head = match.groups?.["head"]?.length ?? 0;
      const secret = match.groups?.["secret"] ?? match[0];
      const end = at + match[0].length;
      const start = end - secret.length - head;
      if (head === 0 && secret === match[0] && !isBoundary(text, start)) continue;
      // The anchor itself can have a word of placeholders: `sk_test_`.
      const value = text.slice(head === 0 ? Math.max(start, at + length) : start, end);
      const isCertain = one.isChecked === true ? looksRandom(value, 0.2) : !isPlaceholder(value);
      if (isCertain) return { start, end, rule: one.rule };
    }
  }
  return undefined;
}
