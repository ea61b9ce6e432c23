import { createHmac } from "node:crypto";
import type { SecretBook } from "../src/index.ts";

/** A book for tests. `key`: the key of its ids. */
export function memoryBook(key = "a"): SecretBook & { readonly kept: Map<string, string> } {
  const secrets = new Map<string, string>();
  return {
    kept: secrets,
    get isBegun() {
      return secrets.size > 0;
    },
    idOf: (secret) => createHmac("sha256", key).update(secret).digest("hex").slice(0, 12),
    secrets: () => secrets.values(),
    secretOf: (id) => secrets.get(id),
    remove(ids) {
      for (const id of ids) secrets.delete(id);
    },
    keep(fresh) {
      for (const [id, secret] of fresh) secrets.set(id, secret);
    },
  };
}
