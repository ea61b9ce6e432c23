import { oneLine } from "@self-context-manager/objects";

/** A place in a line for a value. Its pattern matches everything that it writes. */
export interface Slot<Value> {
  /** The word for the value in descriptions. */
  readonly name: string;
  /** Source of a regular expression without anchors and without capturing groups. */
  readonly pattern: string;
  write(value: Value): string;
}

/**
 * One kind of line that the context manager writes into a view. The writer and the pattern are made from one template,
 * so the pattern matches every line that is written. A kind of line can also be a part of a longer line.
 */
export interface LineKind<Values extends readonly unknown[]> {
  /** The template with a word for each value: `[turns 1 to NUMBER are not shown]`. */
  readonly shape: string;
  /** Source of a regular expression without anchors and without capturing groups. */
  readonly pattern: string;
  readonly write: (...values: Values) => string;
}

/** The values of some slots, in their order. */
type ValuesOf<Slots extends readonly Slot<unknown>[]> = {
  [Index in keyof Slots]: Slots[Index] extends Slot<infer Value> ? Value : never;
};

/** Makes a kind of line from a template with slots. */
export function line<const Slots extends readonly Slot<unknown>[]>(
  texts: TemplateStringsArray,
  ...slots: Slots
): LineKind<ValuesOf<Slots>> {
  const join = (
    textOf: (text: string) => string,
    slotOf: (slot: Slot<unknown>) => string,
  ): string =>
    texts
      .map((text, index) => {
        const slot = slots[index];
        return `${textOf(text)}${slot === undefined ? "" : slotOf(slot)}`;
      })
      .join("");
  return {
    shape: join(
      (text) => text,
      ({ name }) => name,
    ),
    pattern: join(escaped, ({ pattern }) => pattern),
    write: (...values) =>
      texts.map((text, index) => `${text}${slots[index]?.write(values[index]) ?? ""}`).join(""),
  };
}

/** A slot for a text that one of some kinds of lines has written. */
export function writtenBy(
  name: string,
  kinds: readonly { readonly pattern: string }[],
): Slot<string> {
  const pattern = `(?:${kinds.map((kind) => kind.pattern).join("|")})`;
  return { name, pattern, write: (text) => text };
}

/** A slot for a text of somebody else. It becomes one line. A kind of line has at most one such slot. */
export function foreign(name: string): Slot<string> {
  return { name, pattern: ".*", write: oneLine };
}

/** A slot for a number that is written with its digits. */
export const number: Slot<number> = { name: "NUMBER", pattern: "\\d+", write: String };

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}
