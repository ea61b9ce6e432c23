import { canonicalJson } from "./canonical-json.ts";
import { isJsonObject, type JsonObject, type JsonValue, setField } from "./json.ts";
import { sha256 } from "./sha256.ts";

/**
 * Hash rule 1, by which versions without `hash_rule` are verified. It hashes the canonical JSON of all fields. Fields with
 * these names are hashed unchanged at any depth of every type. Elsewhere references lose their transaction.
 */
const unchangedFields: ReadonlySet<string> = new Set([
  "args",
  "details",
  "blocks",
  "user",
  "assistant",
  "assistant_meta",
  "opaque",
  "entries",
  "memory",
]);

/** Returns the SHA-256 of a value by hash rule 1. */
export function formerHash(value: JsonValue): string {
  return sha256(canonicalJson(withoutTransactions(value)));
}

function withoutTransactions(value: JsonValue): JsonValue {
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((item) => withoutTransactions(item));
  if (!isJsonObject(value)) return value;
  const isBare = isFormerReference(value);
  const kept: Record<string, JsonValue | undefined> = {};
  for (const [field, item] of Object.entries(value)) {
    if (item === undefined || (isBare && (field === "tx_id" || field === "tx_time"))) continue;
    setField(kept, field, unchangedFields.has(field) ? item : withoutTransactions(item));
  }
  return kept;
}

function isFormerReference({ ref, id, tx_id: transaction }: JsonObject): boolean {
  return (
    typeof id === "string" &&
    (ref === "dynamic" || (ref === "static" && typeof transaction === "number"))
  );
}
