import { createHmac } from "node:crypto";
import type { SecretBook } from "../src/index.ts";

/** A book for tests. `key`: the key of its ids. */
export function memoryBook(key = "a"): SecretBook & { readonly secrets: Map<string, string> } {
  const secrets = new Map<string, string>();
  return {
    secrets,
    get isBegun() {
      return secrets.size > 0;
    },
    idOf: (secret) => createHmac("sha256", key).update(secret).digest("hex").slice(0, 12),
    secretOf: (id) => secrets.get(id),
    keep(fresh) {
      for (const [id, secret] of fresh) secrets.set(id, secret);
    },
  };
}
