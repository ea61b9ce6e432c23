import {
  hashFields,
  isJsonObject,
  isReference,
  type JsonObject,
  type JsonValue,
  type MutableObject,
  type ObjectMetadata,
  opaqueAt,
  opaqueFields,
  type OpaqueInside,
  setField,
} from "@self-context-manager/objects";

/**
 * The metadata of an object as attributes of its document.
 *
 * A field is an attribute of its own name. A field of an inner object is in the attribute of that object, and also has
 * one of its own if its value is a text, a number or a boolean: `provenance.origin`. Fields that cannot be attributes are
 * in `texts` as JSON: those with a name that Datalog cannot write, those that are long or nested deeply, those with a whole
 * number above 2^53, and those with data of providers, whose order of keys XTDB would not keep.
 */
export interface FieldAttributes {
  readonly attributes: JsonObject;
  readonly texts: Readonly<Record<string, string>>;
}

/** A name that is a keyword in EDN as it is. No such name has a namespace or a dot. */
const plainName = /^[\p{L}_][\p{L}\p{N}_-]*$/u;

/** Longest value of an attribute, in characters of its JSON, so that a document stays below the limits of its store. */
const longestAttribute = 20_000;

/** Deepest nesting of an attribute's value. */
const deepest = 20;

/** Whether a field of an object is an attribute of its document, and can be queried. */
export function isAttributeName(name: string): boolean {
  return plainName.test(name);
}

/** Returns the metadata of an object as attributes. */
export function attributesOf(metadata: ObjectMetadata): FieldAttributes {
  const attributes: MutableObject = {};
  const texts: MutableObject = {};
  const opaque = opaqueFields(metadata);
  for (const [field, value] of Object.entries(metadata)) {
    if (value === undefined) continue;
    const inside = opaqueAt(opaque, field);
    if (isAttributeName(field) && inside === undefined && fits(value)) {
      setField(attributes, field, value);
    } else setField(texts, field, JSON.stringify(value));
    if (isJsonObject(value) && !isReference(value)) inner(value, field, inside, attributes);
  }
  return { attributes, texts: texts as Readonly<Record<string, string>> };
}

/** Adds the scalar fields of an inner object, by their dotted names. */
function inner(
  object: JsonObject,
  prefix: string,
  opaque: OpaqueInside,
  attributes: MutableObject,
): void {
  if (!isAttributeName(prefix.slice(prefix.lastIndexOf(".") + 1))) return;
  for (const [field, value] of Object.entries(object)) {
    const inside = opaqueAt(opaque, field);
    if (value === undefined || value === null || inside === true || !isAttributeName(field))
      continue;
    const name = `${prefix}.${field}`;
    if (typeof value !== "object") {
      if (fits(value)) setField(attributes, name, value);
    } else if (isJsonObject(value) && !isReference(value)) inner(value, name, inside, attributes);
  }
}

function fits(value: JsonValue): boolean {
  return isReadBack(value, deepest) && JSON.stringify(value).length <= longestAttribute;
}

/** Whether XTDB returns a value as it was written. A whole number above 2^53 is another type there. */
function isReadBack(value: JsonValue | undefined, depth: number): boolean {
  if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  return Object.values(value).every((item) => isReadBack(item as JsonValue, depth - 1));
}

/** Whether the attribute of a field finds every object that has the value. */
export function findsValue(path: readonly string[], value: string | number | boolean): boolean {
  if (!path.every(isAttributeName) || path.length >= deepest) return false;
  return fits(value);
}

/**
 * Returns the metadata of an object, and its hashes beside them, from its attributes and texts. `id` and `type` come
 * first, and the other fields are in the order of their names, because XTDB keeps no order.
 */
export function fieldsOf(
  document: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, string>>,
): { readonly metadata: ObjectMetadata; readonly hashes: JsonObject } {
  const fields: MutableObject = {};
  for (const [name, value] of Object.entries(document))
    if (isAttributeName(name)) setField(fields, name, ordered(value as JsonValue));
  const { metadata, hashes } = withoutHashes(fields, texts);
  return { metadata: sorted(metadata) as ObjectMetadata, hashes };
}

function withoutHashes(
  fields: MutableObject,
  texts: Readonly<Record<string, string>>,
): { readonly metadata: MutableObject; readonly hashes: JsonObject } {
  const metadata: MutableObject = { ...fields };
  // A list of content fields can be in a text, and the names of the hashes depend on it.
  for (const [field, text] of Object.entries(texts))
    if (field === "content_fields") metadata[field] = JSON.parse(text) as JsonValue;
  const hashes: MutableObject = {};
  for (const field of hashFields(metadata as ObjectMetadata)) {
    if (!Object.hasOwn(fields, field)) continue;
    hashes[field] = fields[field];
    delete metadata[field];
  }
  for (const [field, text] of Object.entries(texts))
    setField(metadata, field, JSON.parse(text) as JsonValue);
  return { metadata, hashes };
}

const firstFields = ["id", "type"];

function sorted(object: JsonObject): JsonObject {
  const names = Object.keys(object).filter((name) => !firstFields.includes(name));
  const result: MutableObject = {};
  for (const name of [...firstFields, ...names.sort()])
    if (Object.hasOwn(object, name)) setField(result, name, object[name]);
  return result;
}

/** Returns a value with the keys of its objects in the order of their names. */
function ordered(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => ordered(item) as JsonValue);
  const result: MutableObject = {};
  for (const name of Object.keys(value).sort())
    setField(result, name, ordered((value as JsonObject)[name]));
  return result;
}
