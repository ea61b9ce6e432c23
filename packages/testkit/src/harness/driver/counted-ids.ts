import { type IdSource, objectId } from "@self-context-manager/objects";

/**
 * Returns ids that count up, so that they are the same in every run. All sessions of one store need the same source.
 */
export function countedIds(): IdSource {
  let count = 0;
  return {
    next() {
      count += 1;
      return objectId(`0190aaaa-0000-7000-8000-${String(count).padStart(12, "0")}`);
    },
  };
}
