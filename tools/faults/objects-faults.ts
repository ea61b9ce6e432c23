import type { DeliberateFault } from "./deliberate-fault.ts";

/** Faults that the tests in `packages/objects/test` must find. */
export const objectsFaults: readonly DeliberateFault[] = [
  {
    file: "model/context-operation.ts",
    of: "toolName.startsWith(renamedPrefix)",
    becomes: 'toolName.startsWith("never_")',
    breaks: "Calls of renamed context tools are forgotten when their history is read again.",
  },
  {
    file: "store-kit/share-parts.ts",
    of: "isSame &&= shared === earlier && field === former[index];",
    becomes: "isSame &&= shared === earlier;",
    breaks: "A version that is read in order has its fields in the order of the version before.",
  },
  {
    file: "store-kit/chain-link.ts",
    of: "before.stored.version + 1 === stored.version",
    becomes: "true",
    breaks:
      "A version after a gap cannot be rebuilt by a store that reads each delta by its number.",
  },
  {
    file: "model/json.ts",
    of: "bytes: base64, levels: deepest",
    becomes: "bytes: keptBytes, levels: deepest",
    breaks: "Bytes of a file in a message become a list of numbers.",
  },
  {
    file: "model/json.ts",
    of: "bytes: keptBytes, levels: limited, onCut",
    becomes: "bytes: keptBytes, levels: deepest, onCut",
    breaks: "A value in a message is cut again where an object contains the message.",
  },
  {
    file: "model/hash-tree.ts",
    of: "isBare = opaque !== true && isReference(object)",
    becomes: "isBare = isReference(object)",
    breaks: "Hashes do not notice that a model's own arguments were changed.",
  },
  {
    file: "model/hash-fields.ts",
    of: "[...knownContentFields, ...(body.content_fields ?? [])]",
    becomes: "[...knownContentFields]",
    breaks: "A content field of an object's own has no hash.",
  },
  {
    file: "model/hash-fields.ts",
    of: "...possibleFields(body).map(",
    becomes: "...contentFields(body).map(",
    breaks: "A hash that an object holds as data counts as the hash of a text that it lacks.",
  },
  {
    file: "model/references.ts",
    of: "value === null || opaque === true) return;",
    becomes: "value === null) return;",
    breaks: "What a model wrote into its arguments counts as a reference.",
  },
  {
    file: "model/hash-tree.ts",
    of: "if (list[index] !== items[index - start]) return false;",
    becomes: "",
    breaks: "A change in the middle of a long list is not noticed.",
  },
  {
    file: "model/hash-tree.ts",
    of: 'return `#[${groups.join(",")}]`;',
    becomes: 'return `[${groups.join(",")}]`;',
    breaks: "A long list and a list of its groups have one hash.",
  },
  {
    file: "model/metadata-view.ts",
    of: "&& !bulkFields.has(field)",
    becomes: "",
    breaks: "A view hashes a content that no metadata line can show.",
  },
  {
    file: "model/defined.ts",
    of: "if (value !== undefined) kept[name] = value;",
    becomes: "kept[name] = value;",
    breaks: "An optional field that nobody gave is there as undefined.",
  },
  {
    file: "model/line-range.ts",
    of: "next.from > last.to + 1",
    becomes: "next.from > last.to + 9",
    breaks: "Two ranges of one file show the lines between them, too.",
  },
  {
    file: "model/growing-text.ts",
    of: "isSameText(one.base, base) && isSameText(one.text, text)",
    becomes: "isSameText(one.base, base)",
    breaks: "A text with two different continuations is stored wrongly.",
  },
  {
    file: "reading/resolve-reference.ts",
    of: "reference[name] !== undefined && hashes[name] !== reference[name]",
    becomes: 'hashes[name] === ""',
    breaks: "A version that is not the one that was named is shown without a word.",
  },
  {
    file: "store-kit/bounded-map.ts",
    of: "    this.delete(key);",
    becomes: "",
    breaks: "A map of the last entries forgets one that is still in use.",
  },
  {
    file: "store-kit/text-span.ts",
    of: "if (isHighSurrogate(after, prefix - 1)) prefix -= 1;",
    becomes: "",
    breaks: "Emoji are damaged when a text is stored as a difference.",
  },
  {
    file: "store-kit/delta-encode.ts",
    of: "if (order.length > 0) return [3, changes, removed, order];",
    becomes: "",
    breaks: "The order of fields is lost in the store, and hashes fail.",
  },
  {
    file: "store-kit/delta-apply.ts",
    of: "for (const field of removed) delete object[field];",
    becomes: "",
    breaks: "Fields that a version no longer has come back when it is read.",
  },
  {
    file: "store-kit/store-rules.ts",
    of: "if (leftIsHigh !== rightIsHigh) return leftIsHigh ? 1 : -1;",
    becomes: "",
    breaks: "Stores list ids in different orders, and a page is left out.",
  },
  {
    file: "portability/export-line.ts",
    of: "if (object[name] !== expected) {",
    becomes: "if (false) {",
    breaks: "A damaged line of an export is imported.",
  },
  {
    file: "portability/verify-import.ts",
    of: "if (found !== undefined && exportLine(found) === exportLine(expected)) return;",
    becomes: "if (found !== undefined) return;",
    breaks: "A damaged import passes its verification.",
  },
  {
    file: "portability/import-objects.ts",
    of: "if (announced !== undefined && announced !== read) {",
    becomes: "if (false) {",
    breaks: "An export that was cut short counts as complete.",
  },
  {
    file: "reading/resolve-reference.ts",
    of: "txId !== undefined && txTime !== undefined && at.tx_time !== txTime",
    becomes: "txTime === undefined && at.tx_time === txTime",
    breaks: "A reference whose transaction was at another time counts as verified.",
  },
  {
    file: "model/version-name.ts",
    of: 'const at = given.lastIndexOf("@");',
    becomes: 'const at = given.indexOf("@");',
    breaks: "The version of a file whose path has an @ is not found.",
  },
];
