/** A place in the JSON of a delta at which a text is stored apart. A text that begins with `~` has another `~` there. */
const heldPlace = /(?<!\\)"~#(\d+)"(?!:)/gu;

/** Returns the keys of the texts that a version has apart from its delta. The keys are those of the table `chunks`. */
export function* heldKeys(delta: string): Iterable<number> {
  for (const [, key] of delta.matchAll(heldPlace)) yield Number(key);
}
