import {
  type JsonObject,
  objectId,
  type SealedObject,
  sealObject,
} from "@self-context-manager/objects";

/** Returns a small object with the given fields. */
export function sample(id: string, fields: JsonObject = {}): SealedObject {
  return sealObject({
    type: "note",
    content: "",
    locked: false,
    provenance: { origin: "a test", generator: "tool" },
    ...fields,
    id: objectId(id),
  });
}
