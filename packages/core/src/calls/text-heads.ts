import type { JsonValue } from "@self-context-manager/objects";
import { argumentStubs } from "../lines/stand-ins.ts";
import { longText } from "./large-write.ts";
import { mapTexts } from "./map-texts.ts";

/**
 * Returns arguments that show of each long text only the first characters, and a line with the number of the others.
 * The shown part never ends within a character of two code units.
 */
export function withHeads(value: JsonValue | undefined, head: number): JsonValue | undefined {
  return mapTexts(value, (text) => {
    if (text.length <= longText) return text;
    const isSplit = /[\uD800-\uDBFF]/u.test(text.charAt(head - 1));
    const shown = text.slice(0, isSplit ? head - 1 : head);
    return `${shown}\n${argumentStubs.leftOut.write(text.length - shown.length)}`;
  });
}
