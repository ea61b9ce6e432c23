/**
 * Whether a text looks like a value that a program made at random: it has few repetitions, changes often between kinds of
 * characters, and is no placeholder. `changes`: the least share of neighbours that are of different kinds.
 */
export function looksRandom(text: string, changes = 0.3): boolean {
  return !isPlaceholder(text) && entropy(text) >= leastEntropy && changeShare(text) >= changes;
}

/** Bits for each character. A hexadecimal value of 32 digits nearly always has more than 3. */
const leastEntropy = 2.75;

/** Words of values that documentation, tests and masks have where a secret would be. */
const placeholder =
  /x{4}|\*{3}|\.{3}|0{6}|1{6}|-{3}|1234567|abcdefg|your[-_]?|example|placeholder|change[-_]?me|redacted|dummy|sample|replace|insert|secret[-_]?here|key[-_]?here|token[-_]?here|(?:^|[-_.])(?:my|test|fake|mock|foo|bar|todo|none|null|undefined|demo|invalid|wrong|fixture)(?:$|[-_.])/iu;

/** Whether a text is a value that stands for a secret in documentation, tests or masked output. */
export function isPlaceholder(text: string): boolean {
  return placeholder.test(text);
}

/** Shannon's entropy of the characters, in bits for each. */
function entropy(text: string): number {
  const counts = new Map<number, number>();
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / text.length;
    bits -= share * Math.log2(share);
  }
  return bits;
}

/** The share of neighbouring characters of which one is a small letter, a capital, a digit or a sign, and the other not. */
function changeShare(text: string): number {
  let changes = 0;
  for (let at = 1; at < text.length; at += 1)
    if (kindOf(text.charCodeAt(at)) !== kindOf(text.charCodeAt(at - 1))) changes += 1;
  return changes / Math.max(1, text.length - 1);
}

function kindOf(code: number): "small" | "capital" | "digit" | "sign" {
  if (code >= 97 && code <= 122) return "small";
  if (code >= 65 && code <= 90) return "capital";
  return code >= 48 && code <= 57 ? "digit" : "sign";
}
