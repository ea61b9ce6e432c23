import type { SecretSpan } from "./secret-rule.ts";

/** The rule of a text that another text has shown to be a secret. */
const knownSecretRule = "known-secret";

/** Secrets that are looked for wherever they are, without the name or the form by which a rule has found them. */
export interface KnownSecrets {
  add(secret: string): void;
  /** Returns the places of known secrets in a text, in order; none overlaps another. */
  find(text: string): readonly SecretSpan[];
}

/** Characters of the shortest secret that is looked for: a shorter one can be a part of any word. */
const shortest = 8;

/** The characters with which a secret is found: 7 bits of each. */
const begin = 4;
const beginBits = 0xf_ff_ff_ff;

export function knownSecrets(): KnownSecrets {
  const all = new Set<string>();
  /** The secrets by their first characters. */
  const byBegin = new Map<number, string[]>();
  /** Which hashes of first characters there are. It is asked for each character of a text. */
  const filter = new Uint8Array(1 << 16);

  return {
    add(secret) {
      if (secret.length < shortest || all.has(secret)) return;
      all.add(secret);
      const name = nameOf(secret);
      byBegin.set(
        name,
        // Of two with the same beginning, the longer one counts.
        [...(byBegin.get(name) ?? []), secret].toSorted((a, b) => b.length - a.length),
      );
      filter[slotOf(name)] = 1;
    },
    find(text) {
      if (all.size === 0 || text.length < shortest) return [];
      const found: SecretSpan[] = [];
      let name = 0;
      let end = 0;
      for (let at = 0; at < text.length; at += 1) {
        name = ((name << 7) ^ text.charCodeAt(at)) & beginBits;
        if (filter[slotOf(name)] === 0) continue;
        const start = at - begin + 1;
        if (start < end) continue;
        const secret = byBegin.get(name)?.find((one) => text.startsWith(one, start));
        if (secret === undefined) continue;
        end = start + secret.length;
        found.push({ start, end, rule: knownSecretRule });
      }
      return found;
    },
  };
}

function nameOf(secret: string): number {
  let name = 0;
  for (let at = 0; at < begin; at += 1) name = ((name << 7) ^ secret.charCodeAt(at)) & beginBits;
  return name;
}

function slotOf(name: number): number {
  return Math.imul(name, 0x9e_37_79_b1) >>> 16;
}
