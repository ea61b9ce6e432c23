/**
 * The strategies whose views can be read as text. Summaries are not written in a replay, so strategies that show one
 * have no text; `bound` knows the future.
 */
export const surpriseViews = [
  "epoch",
  "epoch-without-folds",
  "epoch-thrifty",
  "epoch-careful",
  "epoch-results-only",
  "pooled",
  "masking",
  "masking-batched",
  "clear-tool-uses",
  "clear-when-cold",
  "openclaw-pruning",
] as const;

/** A view that is compared with the plain one. */
export type SurpriseView = (typeof surpriseViews)[number];

/** The views that are compared by default. */
export const usualViews: readonly SurpriseView[] = [
  "epoch",
  "epoch-without-folds",
  "epoch-thrifty",
  "epoch-careful",
  "masking",
];

/** Whether a name is that of a view. */
export function isSurpriseView(name: string): name is SurpriseView {
  return surpriseViews.some((one) => one === name);
}
