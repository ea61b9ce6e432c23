/** The prices of a family of models that are known without a host. */
export interface FamilyPrices {
  readonly read: number;
  readonly write: number;
  /** Milliseconds that an entry lives after its last use; undefined if time does not end it. */
  readonly lifetime?: number;
  /** Milliseconds that an entry lives if the request asks for a longer life. */
  readonly longLifetime?: number;
  readonly minimum: number;
  readonly tiers?: readonly PriceTier[];
  readonly caching: "automatic" | "explicit";
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const claude = {
  read: 0.1,
  write: 1.25,
  lifetime: 5 * minute,
  longLifetime: hour,
  minimum: 1024,
  caching: "explicit",
} as const;

/** Kept in memory for 5 to 10 idle minutes, or for a day on request. */
const gpt = {
  read: 0.1,
  write: 1,
  lifetime: 5 * minute,
  longLifetime: day,
  minimum: 1024,
  caching: "automatic",
} as const;

/** The lifetime is not guaranteed; no source names more than an hour. */
const gemini = { ...gpt, lifetime: hour, longLifetime: hour } as const;

/** Families with an automatic cache of unpublished lifetime. */
const automatic = {
  read: 0.1,
  write: 1,
  lifetime: hour,
  minimum: 1024,
  caching: "automatic",
} as const;

const above272k: readonly PriceTier[] = [{ above: 272_000, factor: 2 }];
const above200k: readonly PriceTier[] = [{ above: 200_000, factor: 2 }];

/**
 * Prices by family, relative to uncached input, as providers published them in November 2026. The first row whose
 * pattern matches the model's id (lower case, dots as dashes) applies. A host's own prices override it.
 */
const table: readonly (readonly [RegExp, FamilyPrices])[] = [
  [/claude-fable-5-[12]/u, { ...claude, read: 0.025, minimum: 512 }],
  [/claude-(?:opus|sonnet)-5-5/u, { ...claude, read: 0.05, minimum: 512 }],
  [/claude-haiku-5-5/u, { ...claude, tiers: [{ above: 100_000, factor: 5 }] }],
  [/claude-(?:opus|fable|mythos)-5/u, { ...claude, minimum: 512 }],
  [/claude-(?:haiku-4-5|opus-4-[567])/u, { ...claude, minimum: 4096 }],
  [/claude-(?:3-5-haiku|haiku-3-5)/u, { ...claude, minimum: 2048 }],
  [/claude/u, claude],
  [
    /gpt-6-[1-9](?!\d)/u,
    { ...gpt, read: 0.05, write: 1.25, lifetime: 30 * minute, tiers: above272k },
  ],
  [/gpt-(?:6|5-[6-9])(?!\d)/u, { ...gpt, write: 1.25, lifetime: 30 * minute, tiers: above272k }],
  [/gpt-5-5/u, { ...gpt, lifetime: day, tiers: above272k }],
  [/gpt-5-4/u, { ...gpt, tiers: above272k }],
  [/gpt-5(?!\d)/u, gpt],
  [/gpt-4o|(?:^|\/)o(?:1|3-mini)(?!\w)/u, { ...gpt, read: 0.5 }],
  [/gpt-4-1|(?:^|\/)o(?:3|4)(?:-mini)?(?!\w)/u, { ...gpt, read: 0.25 }],
  [/gemini-4/u, { ...gemini, read: 0.05, minimum: 4096 }],
  [/gemini-(?:2-5|3(?:-\d)?)-pro/u, { ...gemini, minimum: 4096, tiers: above200k }],
  [/gemini-(?:2-5|3)/u, gemini],
  // Cached on disk, so waiting does not end an entry.
  [/deepseek.*pro/u, { read: 0.033, write: 1, minimum: 0, caching: "automatic" }],
  [
    /deepseek.*(?:flash|chat|reasoner)/u,
    { read: 0.02, write: 1, minimum: 0, caching: "automatic" },
  ],
  [/grok-4-[67]/u, { ...automatic, read: 0.25, tiers: above200k }],
  [/grok-4/u, { ...automatic, read: 0.15, tiers: above200k }],
  [/glm-(?:4-7|5)/u, { ...automatic, read: 0.19 }],
  [/kimi-k2/u, { ...automatic, read: 0.2 }],
  [/kimi-k3/u, automatic],
  [/muse-spark/u, { ...automatic, read: 0.12 }],
  [/minimax-m/u, { ...automatic, read: 0.2 }],
  [/mimo-v/u, { ...automatic, read: 0.01 }],
  [/mistral-(?:large|medium|small)|devstral|codestral/u, automatic],
];

/** Returns the prices of a model's family, or undefined for an unknown family. */
export function familyPrices(id: string): FamilyPrices | undefined {
  const name = id.toLowerCase().replaceAll(".", "-");
  return table.find(([pattern]) => pattern.test(name))?.[1];
}

/** A prompt length above which every token of the prompt costs more. */
export interface PriceTier {
  /** Tokens of the prompt above which the factor applies. */
  readonly above: number;
  /** Factor for the uncached input price. */
  readonly factor: number;
}
