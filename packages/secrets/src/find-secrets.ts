import { namedValueRule, namedValues } from "./named-values.ts";
import { privateKeyRule, privateKeys } from "./private-keys.ts";
import { providerKeys, providerRules } from "./provider-keys.ts";
import type { SecretSpan } from "./secret-rule.ts";
import {
  authorizationRule,
  authorizations,
  urlPasswordRule,
  urlPasswords,
} from "./sent-credentials.ts";

/** The names of all rules that find secrets in a text. */
export const secretRuleNames: readonly string[] = [
  privateKeyRule,
  ...providerRules,
  authorizationRule,
  urlPasswordRule,
  namedValueRule,
];

/** The kinds of rules, the most certain first. Of two that find the same place, the first one names it. */
const kinds = [privateKeys, providerKeys, authorizations, urlPasswords, namedValues];

/** Characters below which a text has no secret. */
const shortest = 8;

/**
 * Returns the places of the secrets in a text, in order; none overlaps another or has a line break. The result follows from
 * the text alone, and the time is in proportion to its length.
 */
export function findSecrets(text: string): readonly SecretSpan[] {
  if (text.length < shortest) return [];
  const found = kinds.flatMap((find) => find(text));
  return found.length < 2 ? found : apart(found);
}

/** Returns spans in order, without those that overlap one that was found before. */
function apart(found: readonly SecretSpan[]): readonly SecretSpan[] {
  const ordered = found
    .map((span, rank) => ({ span, rank }))
    .toSorted((left, right) => left.span.start - right.span.start || left.rank - right.rank);
  const kept: { readonly span: SecretSpan; readonly rank: number }[] = [];
  for (const one of ordered) {
    const last = kept.at(-1);
    if (last === undefined || one.span.start >= last.span.end) kept.push(one);
    else if (one.rank < last.rank) kept[kept.length - 1] = one;
  }
  return kept.map(({ span }) => span);
}
