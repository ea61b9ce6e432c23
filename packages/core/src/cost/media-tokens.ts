import type { MediaFacts } from "./media-facts.ts";

/** How a provider counts the tokens of files. The sources are in docs/architecture/cost-model.md. */
interface MediaRule {
  image(width: number, height: number): number;
  /** Tokens of one page of a PDF. */
  readonly page: number;
  /** Tokens of one second. */
  readonly audio: number;
  readonly video: number;
}

/** Patches of 28 × 28 pixels, after the image was made smaller. `side`: its longest side in pixels. */
function anthropicImage(side: number, most: number): MediaRule["image"] {
  return (width, height) => {
    const patches = (scale: number): number =>
      Math.ceil((width * scale) / 28) * Math.ceil((height * scale) / 28);
    let scale = Math.min(1, side / Math.max(width, height));
    while (patches(scale) > most) scale *= Math.min(0.99, Math.sqrt(most / patches(scale)));
    return patches(scale);
  };
}

/** Tiles of 512 × 512 pixels, after the image was made smaller. */
function openaiTiles(width: number, height: number): number {
  const fit = Math.min(1, 2_048 / Math.max(width, height));
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit));
  return 85 + 170 * Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
}

/** Patches of 32 × 32 pixels, at most 1,536. */
function openaiPatches(width: number, height: number): number {
  return Math.min(1_536, Math.ceil(width / 32) * Math.ceil(height / 32));
}

function googleTiles(width: number, height: number): number {
  if (width <= 384 && height <= 384) return 258;
  return 258 * Math.ceil(width / 768) * Math.ceil(height / 768);
}

/** Tokens of the text of a page, where the provider names none or a range. */
const pageText = { anthropic: 2_250, openai: 1_000 } as const;
/** A page of a PDF as an image: 8.5 × 11 inches with 150 pixels to the inch. */
const page = [1_275, 1_650] as const;

const anthropic: MediaRule = {
  image: anthropicImage(1_568, 1_568),
  page: pageText.anthropic + anthropicImage(1_568, 1_568)(...page),
  audio: 32,
  video: 263,
};

/** From Claude Opus 4.7 on. */
const anthropicDetailed: MediaRule = {
  ...anthropic,
  image: anthropicImage(2_576, 4_784),
  page: pageText.anthropic + anthropicImage(2_576, 4_784)(...page),
};

const openai: MediaRule = {
  image: (width, height) => Math.max(openaiTiles(width, height), openaiPatches(width, height)),
  page: pageText.openai + openaiTiles(...page),
  audio: 10,
  video: 263,
};

function openaiSmall(multiplier: number): MediaRule {
  const image: MediaRule["image"] = (width, height) =>
    Math.ceil(openaiPatches(width, height) * multiplier);
  return { ...openai, image, page: pageText.openai + image(...page) };
}

const google: MediaRule = { image: googleTiles, page: 258, audio: 32, video: 263 };

/** From Gemini 3 on, with the default resolution. */
const googleFixed: MediaRule = { image: () => 1_120, page: 560, audio: 32, video: 263 };

/** The rules by the name of the model, as `provider/id`. The first that matches counts. */
const rules: readonly (readonly [RegExp, MediaRule])[] = [
  [/claude-(?:opus-4[-.][7-9]|[a-z]+-[5-9])/u, anthropicDetailed],
  [/claude|anthropic/u, anthropic],
  [/gemini-[3-9]/u, googleFixed],
  [/gemini|gemma|google/u, google],
  [/gpt.*nano/u, openaiSmall(2.46)],
  [/o4-mini/u, openaiSmall(1.72)],
  [/gpt.*mini/u, openaiSmall(1.62)],
  [/gpt|openai|codex|(?:^|\/)o\d/u, openai],
];

/**
 * Returns the estimated tokens of a file in a message, by the published rule of the model's provider. `model`: as
 * `provider/id`; for an unknown one, the largest of the rules for usual models counts.
 */
export function mediaTokens(facts: MediaFacts, model?: string): number {
  const found = model === undefined ? undefined : rules.find(([name]) => name.test(model))?.[1];
  const possible = found === undefined ? [anthropic, openai, google] : [found];
  return Math.max(...possible.map((rule) => tokensBy(rule, facts)));
}

function tokensBy(rule: MediaRule, facts: MediaFacts): number {
  switch (facts.kind) {
    case "image":
      return rule.image(facts.width, facts.height);
    case "document":
      return facts.pages * rule.page;
    case "text":
      return Math.ceil(facts.bytes / 4);
    case "audio":
      return facts.seconds * rule.audio;
    case "video":
      return facts.seconds * rule.video;
    default:
      return facts satisfies never;
  }
}
