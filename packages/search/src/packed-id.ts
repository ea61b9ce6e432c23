import type { ObjectId } from "@self-context-manager/objects";

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/u;

/** Returns a UUID as its 16 bytes, and any other id as it is. */
export function packId(id: ObjectId): string | Uint8Array {
  return uuid.test(id) ? Buffer.from(id.replaceAll("-", ""), "hex") : id;
}

export function unpackId(packed: unknown): ObjectId {
  if (!(packed instanceof Uint8Array)) return String(packed) as ObjectId;
  const digits = Buffer.from(packed).toString("hex");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/u, "$1-$2-$3-$4-") as ObjectId;
}
