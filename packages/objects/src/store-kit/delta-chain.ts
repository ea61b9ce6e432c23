import { isJsonObject, type JsonValue, type MutableObject, setField } from "../model/json.ts";
import { applyDelta } from "./delta-apply.ts";
import type { Delta } from "./delta-encode.ts";
import { type ChunkReader, decodeText } from "./stored-form.ts";

/**
 * Applies parsed deltas one after the other. A text that each delta changes near its end, such as the text of a chat, is
 * joined only once: joining it for every version would copy the whole text each time.
 */
export function applyDeltas(
  before: JsonValue | undefined,
  deltas: Iterable<Delta>,
  chunks: ChunkReader,
): JsonValue | undefined {
  let value = before;
  let growing = new Map<string, GrowingText>();
  for (const delta of deltas) {
    const changes = delta[0] === 3 ? (delta[1] as readonly JsonValue[]) : none;
    const others: JsonValue[] = [];
    const going = new Map<string, GrowingText>();
    for (let index = 0; index < changes.length; index += 2) {
      const [field, change] = [changes[index] as string, changes[index + 1] as Delta];
      const text = growing.get(field) ?? growingField(value, field);
      if (change[0] === 1 && text !== undefined) {
        const [, prefix, suffix, middle] = change as readonly [1, number, number, string];
        text.change(prefix, suffix, decodeText(middle, chunks));
        going.set(field, text);
      } else others.push(field, change);
    }
    // Texts that this delta does not append to are stored in the object, because the delta may change them in another way.
    value = withTexts(
      value,
      [...growing].filter(([field]) => !going.has(field)),
    );
    growing = going;
    value = applyDelta(value, delta[0] === 3 ? [3, others, ...delta.slice(2)] : delta, chunks);
  }
  return withTexts(value, [...growing]);
}

const none: readonly JsonValue[] = [];

/** A text in pieces. */
interface GrowingText {
  /** Keeps a number of units at its beginning and at its end, and replaces the text between them. */
  change(prefix: number, suffix: number, middle: string): void;
  text(): string;
}

function growingText(start: string): GrowingText {
  const pieces = [start];
  let length = start.length;
  /** Removes a number of units from the end. */
  const take = (count: number): string => {
    const wanted = length - count;
    const taken: string[] = [];
    while (length > wanted) {
      const last = pieces.pop() ?? "";
      const kept = Math.max(0, wanted - (length - last.length));
      taken.push(last.slice(kept));
      if (kept > 0) pieces.push(last.slice(0, kept));
      length -= last.length - kept;
    }
    return taken.toReversed().join("");
  };
  return {
    change(prefix, suffix, middle) {
      // A damaged delta, or one whose predecessor is missing.
      if (prefix < 0 || suffix < 0 || prefix + suffix > length)
        throw new RangeError(`a delta keeps ${prefix} and ${suffix} of ${length} units`);
      const end = take(suffix);
      take(length - prefix);
      pieces.push(middle, end);
      length += middle.length + end.length;
    },
    text: () => pieces.join(""),
  };
}

function growingField(value: JsonValue | undefined, field: string): GrowingText | undefined {
  const text = isJsonObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
  return typeof text === "string" ? growingText(text) : undefined;
}

function withTexts(
  value: JsonValue | undefined,
  texts: readonly (readonly [string, GrowingText])[],
): JsonValue | undefined {
  if (texts.length === 0 || !isJsonObject(value)) return value;
  const object: MutableObject = Object.isFrozen(value) ? { ...value } : value;
  for (const [field, text] of texts) setField(object, field, text.text());
  return object;
}
