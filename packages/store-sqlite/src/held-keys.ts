import { heldTextKeys } from "@self-context-manager/objects";

/**
 * A text in the JSON of a delta that can name texts that are stored apart, up to the end of the names, or of the text. A
 * text that begins with `~` has another `~` there. The name of a field is followed by a colon.
 */
const namingText = /(?<!\\)"(~[#+](?:[^"\\]|\\.)*)"(?!:)/gu;

/** Returns the keys of the texts that a version has apart from its delta. The keys are those of the table `chunks`. */
export function* heldKeys(delta: string): Iterable<number> {
  for (const [, text = ""] of delta.matchAll(namingText))
    for (const key of heldTextKeys(text)) yield Number(key);
}
