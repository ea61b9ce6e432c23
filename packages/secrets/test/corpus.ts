import { createHash } from "node:crypto";

/** A line of a corpus, and the secrets in it. */
export interface CorpusLine {
  readonly text: string;
  readonly secrets: readonly string[];
  /** The rules of which one must find the secret. */
  readonly rules: readonly string[];
}

/** Makes values of kinds that credentials, hashes and ids have. */
export interface Maker {
  readonly next: () => number;
  readonly of: <Item>(items: readonly Item[]) => Item;
  readonly from: (alphabet: string, length: number) => string;
  readonly hex: (length: number) => string;
  readonly word: (length: number) => string;
  readonly web: (length: number) => string;
  readonly base64: (length: number) => string;
  readonly uuid: () => string;
  readonly hash: (algorithm: string) => Buffer;
}

/** Makes texts from a seed, so that each run has the same corpus and no file has a text that looks like a key. */
export function maker(seed: number): Maker {
  let state = seed;
  const next = (): number => {
    state = Math.trunc(state + 0x6d_2b_79_f5);
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const of = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(next() * items.length)] as Item;
  const from = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]).join("");
  return {
    next,
    of,
    from,
    hex: (length: number) => from(digits + "abcdef", length),
    word: (length: number) => from(letters, length),
    web: (length: number) =>
      `${from(letters, length - 2)}${from(`${letters}-_`, 1)}${from(letters, 1)}`,
    base64: (length: number) => from(`${letters}+/`, length),
    uuid: () => [8, 4, 4, 4, 12].map((length) => from(digits + "abcdef", length)).join("-"),
    hash: (algorithm: string) => createHash(algorithm).update(String(next())).digest(),
  };
}

const digits = "0123456789";
const small = "abcdefghijklmnopqrstuvwxyz";
const capitals = small.toUpperCase();
const letters = digits + small + capitals;

/** Joined here, so that no file contains the beginning of a real key. */
const join = (...parts: readonly string[]): string => parts.join("");

/** The credentials of providers, by the rule that names them. */
export const keys: Readonly<Record<string, (make: Maker) => string>> = {
  "anthropic-key": ({ web, of }) =>
    join("sk-", "ant-", of(["api03", "admin01", "oat01"]), "-", web(95)),
  "openrouter-key": ({ hex }) => join("sk-", "or-v1-", hex(64)),
  "openai-key": ({ web, word, of }) =>
    of([
      join("sk-", "proj-", web(120)),
      join("sk-", word(20), "T3Blbk", "FJ", word(20)),
      join("sk-", "svcacct-", web(70)),
    ]),
  "groq-key": ({ word }) => join("gsk", "_", word(52)),
  "xai-key": ({ word }) => join("xai", "-", word(80)),
  "perplexity-key": ({ word }) => join("pplx", "-", word(48)),
  "replicate-token": ({ word }) => join("r8", "_", word(37)),
  "hugging-face-token": ({ word }) => join("hf", "_", word(34)),
  "nvidia-key": ({ web }) => join("nv", "api-", web(64)),
  "tavily-key": ({ word }) => join("tv", "ly-", word(32)),
  "langsmith-key": ({ hex }) => join("lsv2", "_pt_", hex(32), "_", hex(10)),
  "aws-access-key-id": ({ from, of }) =>
    join(of(["AK", "AS"]), "IA", from(`${capitals}234567`, 16)),
  "aws-bedrock-key": ({ base64 }) => join("AB", "SK", base64(109)),
  "google-api-key": ({ web }) => join("AI", "za", web(35)),
  "google-client-secret": ({ web }) => join("GOC", "SPX-", web(28)),
  "google-access-token": ({ web }) => join("ya", "29.", web(180)),
  "google-refresh-token": ({ web }) => join("1/", "/0", web(98)),
  "github-token": ({ word, of }) =>
    of([
      ...["p", "o", "u", "s", "r"].map((kind) => join("gh", kind, "_", word(36))),
      join("github", "_pat_", word(22), "_", word(59)),
    ]),
  "gitlab-token": ({ web, of }) =>
    join(of(["gl", "gl"]), of(["pat-", "dt-", "rt-", "cbt-"]), web(20)),
  "slack-token": ({ from, word, of }) =>
    of([
      join("xo", "xb-", from(digits, 12), "-", from(digits, 12), "-", word(24)),
      join("xo", "xp-", from(digits, 12), "-", from(digits, 12), "-", word(32)),
      join("xa", "pp-1-A", from(digits + capitals, 10), "-", from(digits, 13), "-", word(64)),
    ]),
  "discord-token": ({ word, of, web }) =>
    join(of(["MT", "Nz", "OD"]), word(22), ".", web(6), ".", web(38)),
  "telegram-token": ({ from, web }) => join(from("123456789", 10), ":A", "A", web(33)),
  "stripe-key": ({ word, of }) =>
    join(of(["sk", "rk"]), of(["_live", "_test"]), "_", word(of([24, 99]))),
  "stripe-webhook-secret": ({ word }) => join("wh", "sec_", word(32)),
  "twilio-key": ({ hex }) => join("S", "K", hex(32)),
  "sendgrid-key": ({ web }) => join("S", "G.", web(22), ".", web(43)),
  "mailgun-key": ({ hex }) => join("ke", "y-", hex(32)),
  "brevo-key": ({ hex, word }) => join("xkey", "sib-", hex(64), "-", word(16)),
  "resend-key": ({ word }) => join("re", "_", word(8), "_", word(24)),
  "npm-token": ({ word }) => join("np", "m_", word(36)),
  "pypi-token": ({ web }) => join("py", "pi-AgEIcHlwaS5vcmc", web(140)),
  "rubygems-key": ({ hex }) => join("ruby", "gems_", hex(48)),
  "crates-token": ({ word }) => join("ci", "o", word(32)),
  "docker-token": ({ web }) => join("dckr", "_pat_", web(27)),
  "digitalocean-token": ({ hex, of }) => join("do", of(["p", "o", "r"]), "_v1_", hex(64)),
  "cloudflare-key": ({ hex }) => join("v1", ".0-", hex(24), "-", hex(146)),
  "cloudflare-token": ({ word }) => join("cf", "ut_", word(48)),
  "heroku-key": ({ uuid }) => join("HR", "KU-", uuid()),
  "databricks-token": ({ hex }) => join("da", "pi", hex(32)),
  "vault-token": ({ web }) => join("hv", "s.", web(90)),
  "terraform-token": ({ word, web }) => join(word(14), ".atl", "asv1.", web(67)),
  "azure-client-secret": ({ word, from }) => join(word(3), from(digits, 1), "Q", "~", word(34)),
  "grafana-token": ({ word, hex }) => join("gl", "sa_", word(32), "_", hex(8)),
  "new-relic-key": ({ from }) => join("NR", "AK-", from(digits + capitals, 27)),
  "sentry-token": ({ hex }) => join("sn", "tryu_", hex(64)),
  "linear-key": ({ word }) => join("lin", "_api_", word(40)),
  "notion-token": ({ word }) => join("nt", "n_", word(46)),
  "figma-token": ({ web }) => join("fi", "gd_", web(40)),
  "airtable-token": ({ word, hex }) => join("pa", "t", word(14), ".", hex(64)),
  "shopify-token": ({ hex }) => join("shp", "at_", hex(32)),
  "square-token": ({ web }) => join("sq0", "atp-", web(22)),
  "facebook-token": ({ word }) => join("EA", "A", word(180)),
  "supabase-key": ({ hex }) => join("sb", "p_", hex(40)),
  "planetscale-token": ({ word }) => join("ps", "cale_tkn_", word(43)),
  "postman-key": ({ hex }) => join("PM", "AK-", hex(24), "-", hex(34)),
  "doppler-token": ({ word }) => join("dp", ".pt.", word(43)),
  "pulumi-token": ({ hex }) => join("pu", "l-", hex(40)),
  "atlassian-token": ({ web }) => join("ATA", "TT3", web(180)),
  "artifactory-key": ({ word }) => join("AK", "Cp", word(69)),
  "age-secret-key": ({ from }) => join("AGE-SECRET", "-KEY-1", from(digits + capitals, 58)),
  "tailscale-key": ({ word }) => join("ts", "key-auth-", word(12), "-", word(32)),
  "contentful-token": ({ web }) => join("CF", "PAT-", web(43)),
  "netlify-token": ({ word }) => join("nf", "p_", word(36)),
  "vercel-token": ({ word }) => join("vc", "p_", word(56)),
  "posthog-key": ({ word }) => join("ph", "x_", word(43)),
  "hubspot-token": ({ uuid, of }) => join("pa", "t-", of(["na1", "eu1"]), "-", uuid()),
  "fly-token": ({ base64 }) => join("fm", "2_", base64(200)),
  "dropbox-token": ({ web }) => join("s", "l.", web(136)),
  "json-web-token": ({ web }) => join("ey", "J", web(33), ".ey", "J", web(80), ".", web(43)),
};

/** The lines in which a credential with a form of its own is found: in files, output and speech. */
const places: readonly ((key: string, make: Maker) => string)[] = [
  (key) => `Use ${key} for the calls, please.`,
  (key) => `export PROVIDER_KEY=${key}`,
  (key) => `PROVIDER_TOKEN="${key}"`,
  (key) => `{"provider": {"value": "${key}"}}`,
  (key) => `{"command":"echo '${key}' | login\\n${key}\\n"}`,
  (key) => `   12\tconst client = connect("${key}");`,
  (key) => `config/settings.yaml:41:  token: ${key}`,
  (key) => `curl -H 'X-Token: ${key}' https://api.service.dev/v1`,
  (key) => `+ token = "${key}"`,
  (key) => `\u001B[32m${key}\u001B[0m`,
];

export function providerLines(make: Maker): readonly CorpusLine[] {
  return Object.entries(keys).flatMap(([rule, key]) =>
    [0, 1, 2, 3, 4].map((): CorpusLine => {
      const secret = key(make);
      return { text: make.of(places)(secret, make), secrets: [secret], rules: [rule] };
    }),
  );
}

const variables = [
  "DB_PASSWORD",
  "POSTGRES_PASSWORD",
  "SECRET_KEY",
  "JWT_SECRET",
  "AWS_SECRET_ACCESS_KEY",
  "CLOUDFLARE_API_TOKEN",
  "DATADOG_API_KEY",
  "TWILIO_AUTH_TOKEN",
  "SESSION_SECRET",
  "AZURE_OPENAI_API_KEY",
  "ENCRYPTION_KEY",
  "GOOGLE_CLIENT_SECRET",
  "SMTP_PASSWORD",
  "REDIS_PASSWORD",
  "MISTRAL_API_KEY",
  "APP_CREDENTIALS",
];

const fields = [
  "password",
  "api_key",
  "apiKey",
  "client_secret",
  "secret_key",
  "auth_token",
  "accessToken",
  "access_token",
  "private_key",
];

/** Values without a form of their own: the name says that they are secret. */
const values: readonly ((make: Maker) => string)[] = [
  ({ hex }) => hex(32),
  ({ hex }) => hex(40),
  ({ word }) => word(24),
  ({ word }) => word(40),
  ({ base64 }) => base64(40),
  ({ base64 }) => `${base64(43)}=`,
  ({ web }) => web(32),
  ({ word, of, from }) => `${word(9)}${of(["!", "@", "#", "^"])}${from(digits, 2)}${word(6)}`,
];

const namedPlaces: readonly ((value: string, make: Maker) => string)[] = [
  (value, { of }) => `${of(variables)}=${value}`,
  (value, { of }) => `export ${of(variables)}='${value}'`,
  (value, { of }) => `${of(variables)}="${value}" npm run start`,
  (value, { of }) => `  "${of(fields)}": "${value}",`,
  (value, { of }) => `  ${of(fields)}: ${value}`,
  (value, { of }) => `   7\t${of(fields)} = "${value}"`,
  (value, { of }) => `.env:12:${of(variables)}=${value}`,
  (value, { of }) => `{"stdout":"${of(variables)}=${value}\\nHOME=/root\\n"}`,
  (value, { of }) => `const ${of(fields)} = '${value}';`,
  (value, { of }) => `docker run -e ${of(variables)}=${value} image`,
  (value) => `mysql --user app --password=${value} db`,
  (value) => `deploy --token ${value} --yes`,
  (value) => `//registry.npmjs.org/:_authToken=${value}`,
];

export function namedLines(make: Maker, count: number): readonly CorpusLine[] {
  return Array.from({ length: count }, (): CorpusLine => {
    const secret = make.of(values)(make);
    return { text: make.of(namedPlaces)(secret, make), secrets: [secret], rules: ["named-value"] };
  });
}

export function sentLines(make: Maker, count: number): readonly CorpusLine[] {
  const { of, word, base64, web } = make;
  return Array.from({ length: count }, (_, index): CorpusLine => {
    const password = word(of([9, 12, 20]));
    const token = of([word(32), web(48), `${base64(30)}==`]);
    const user = of(["app", "deploy", "admin"]);
    const lines = [
      [
        `DATABASE_URL=postgres://${user}:${password}@db.internal:5432/app`,
        password,
        "url-password",
      ],
      [
        `git remote add origin https://${user}:${password}@git.host.dev/a/b.git`,
        password,
        "url-password",
      ],
      [`redis://:${password}@cache:6379/0`, password, "url-password"],
      [`amqp+ssl://${user}:${password}@queue/vhost`, password, "url-password"],
      [`curl -H "Authorization: Bearer ${token}" https://api.host.dev`, token, "authorization"],
      [`  authorization: Basic ${token}`, token, "authorization"],
      [`headers["Authorization"] = 'token ${token}'`, token, "authorization"],
      [`< Authorization: Bearer ${token}`, token, "authorization"],
    ] as const;
    const [text, secret, rule] = lines[index % lines.length] as (typeof lines)[number];
    return { text, secrets: [secret], rules: [rule] };
  });
}

/** A private key as a file has it, with the lines that are secret. */
export function privateKey(
  make: Maker,
  kind: string,
): { readonly text: string; readonly secrets: readonly string[] } {
  const secrets = [...Array.from({ length: 12 }, () => make.base64(64)), `${make.base64(30)}==`];
  const name = `${kind}PRIVATE KEY${kind === "PGP " ? " BLOCK" : ""}-----`;
  return { text: [`-----BEGIN ${name}`, ...secrets, `-----END ${name}`].join("\n"), secrets };
}

/** Lines that look like lines with secrets and have none. */
export function falseLines(make: Maker, count: number): readonly string[] {
  const { of, hex, word, base64, uuid, web, hash, next } = make;
  const number = (): number => Math.floor(next() * 100_000);
  const makers: readonly (() => string)[] = [
    () => `commit ${hex(40)}`,
    () => `${hex(7)} fix the tokens of the parser (#${number()})`,
    () => `index ${hex(7)}..${hex(7)} 100644`,
    () => `sha256:${hex(64)}  image.tar`,
    () => `      "integrity": "sha512-${hash("sha512").toString("base64")}",`,
    () => `    resolution: {integrity: sha512-${hash("sha512").toString("base64")}}`,
    () => `checksum = "${hex(64)}"`,
    () => `github.com/owner/module v1.${number()}.0 h1:${hash("sha256").toString("base64")}`,
    () => `"id": "${uuid()}",`,
    () => `request_id=${uuid()} token_count=${number()} duration=12ms`,
    () => `![image](data:image/png;base64,${base64(120)})`,
    () => base64(76),
    () => `OPENAI_API_KEY=your-api-key-here`,
    () => `API_TOKEN=${"x".repeat(20 + (number() % 20))}`,
    () => `GITHUB_TOKEN=<TOKEN>`,
    () => `password: \${DB_PASSWORD}`,
    () => `SECRET_KEY=changeme`,
    () => `export AWS_SECRET_ACCESS_KEY=$(vault read -field=key secret/aws)`,
    () => `const apiKey = process.env.${of(variables)};`,
    () => `token = os.environ["${of(variables)}"]`,
    () => `const token${number()} = await readToken(request.headers.authorization);`,
    () => `if (password.length < 12) throw new Error("password too short");`,
    () => `export type SecretKeyRef = { readonly secretName: string; readonly key: string };`,
    () => `    secretKeyRef: { name: app-credentials-${number()}, key: password }`,
    () => `max_tokens: 4096, token_limit: ${number()}, total_tokens=${number()}`,
    () => `cache_key = "${hex(32)}"`,
    () => `"publicKey": "${base64(44)}"`,
    () => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base64(43)} user@host`,
    () => `-----BEGIN CERTIFICATE-----\n${base64(64)}\n${base64(64)}\n-----END CERTIFICATE-----`,
    () => `KEY_PATH=/home/user/.ssh/id_ed25519_${number()}`,
    () => `TOKEN_URL=https://auth.host.dev/oauth2/token?v=${number()}`,
    () => `https://user:password@localhost:5432/db`,
    () => `postgres://postgres:postgres@localhost:5432/test_${number()}`,
    () => `postgres://\${USER}:\${PASSWORD}@host/db`,
    () => `Authorization: Bearer \${token}`,
    () => `Authorization: Bearer <your-token>`,
    () => `headers: { Authorization: \`Bearer \${accessToken}\` }`,
    () => `.sk-spinner-container-wrapper-inner-${number()} { display: none }`,
    () => `task-runner-with-a-long-name-${number()}-for-the-queue`,
    () => `class HTTPSConnectionTokenProviderFactory${number()} extends Base {`,
    () => `{"type":"tool_use","id":"toolu_01${word(22)}","name":"bash"}`,
    () => `call_${word(24)}`,
    () => `msg_${word(24)} resp_${hex(48)}`,
    () => `trace: 00-${hex(32)}-${hex(16)}-01`,
    () => `npm_config_cache=/root/.npm npm_lifecycle_event=test npm_package_version=1.${number()}`,
    () => `node_modules/.pnpm/pkg@1.0.${number()}_${hex(32)}/node_modules/pkg/index.js`,
    () => `etag: W/"${hex(32)}"`,
    () => `Set-Cookie: theme=dark; Path=/; Max-Age=${number()}`,
    () => `nextPageToken: "${word(32)}"`,
    () => `s3://bucket/${hex(32)}/${uuid()}.parquet`,
    () => `"sourceMappings": "AAAA,${word(60)}"`,
    () => `idempotencyKey: "${uuid()}"`,
    () => `keyboardLayout = "us-intl-${number()}"; hotkey: "ctrl+shift+${number() % 10}"`,
    () => `password_reset_url=/accounts/password/reset/${number()}`,
    () => `const SECRET_NAMES = ["DB_PASSWORD", "API_TOKEN_${number()}"];`,
    () => `it("rejects the token ${number()} of another session", async () => {`,
    () => `pk_test_ is the prefix of publishable keys (${number()} of them)`,
    () => `sk-… and ghp_… are prefixes; AKIA begins an id of AWS (${number()})`,
    () => `See https://host.dev/docs/api-keys#creating-a-secret-key-${number()}`,
    () => `${web(10)}-${number()}.chunk.js  ${number()} kB │ gzip: 12 kB`,
  ];
  return Array.from({ length: count }, (_, index) =>
    (makers[index % makers.length] as () => string)(),
  );
}
