/** Any value that JSON can represent. `undefined` marks an absent field and is never stored. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [field: string]: JsonValue | undefined };

/** A JSON object. */
export type JsonObject = { readonly [field: string]: JsonValue | undefined };

/** Whether a value is a JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a list. Its items are not checked. */
export function isJsonList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Returns a value that is a JSON object as it is, and an object without fields for any other value. */
export function fieldsOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns the names of the fields that are not `undefined`, in the order of the object. */
export function presentFields(object: JsonObject): readonly string[] {
  const fields = Object.keys(object);
  const isPresent = (field: string): boolean => object[field] !== undefined;
  return fields.every(isPresent) ? fields : fields.filter(isPresent);
}

/**
 * Converts an unknown value to JSON that every store can keep.
 *
 * Functions, symbols and `undefined` are removed; numbers that are not finite and cycles become null; lone surrogates
 * become U+FFFD; `toJSON` is called. What is nested deeper than 520 levels becomes a text: its JSON, or a note if it is
 * nested too deeply for that too.
 */
export function toJson(value: unknown): JsonValue {
  return convert(value, [], { bytes: keptBytes, levels: deepest }) ?? null;
}

/** A value that was converted to JSON with a limit of its levels. */
export interface LimitedJson {
  readonly json: JsonValue;
  /** Whether a part of it became a text, because it is nested too deeply. */
  readonly isCut: boolean;
}

/**
 * Converts an unknown value to JSON like `toJson`, with at most 500 levels. An object that has such a value some levels
 * further in is then not cut by `toJson`.
 */
export function toLimitedJson(value: unknown): LimitedJson {
  let isCut = false;
  const onCut = (): void => void (isCut = true);
  const json = convert(value, [], { bytes: keptBytes, levels: limited, onCut }) ?? null;
  return { json, isCut };
}

/**
 * Converts an unknown value to JSON like `toJson`, with each `Uint8Array` as a text in base64. Chat messages of many hosts
 * have their files as bytes, and providers read base64.
 */
export function toJsonWithBase64(value: unknown): JsonValue {
  return convert(value, [], { bytes: base64, levels: deepest }) ?? null;
}

/** Returns the fields of an unknown value as JSON, like `toJson`. A value that is not an object has no fields. */
export function jsonObject(value: unknown): JsonObject {
  const json = toJson(value);
  return isJsonObject(json) ? json : {};
}

/** Returns the JSON of an object that is bytes, or undefined if it is converted like any other object. */
type ConvertBytes = (value: object) => string | undefined;

const keptBytes: ConvertBytes = () => undefined;

const base64: ConvertBytes = (value) =>
  value instanceof Uint8Array ? Buffer.from(value).toString("base64") : undefined;

interface Conversion {
  readonly bytes: ConvertBytes;
  /** What is nested deeper becomes a text. */
  readonly levels: number;
  readonly onCut?: () => void;
}

function convert(
  value: unknown,
  path: readonly object[],
  conversion: Conversion,
): JsonValue | undefined {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? value : value.toWellFormed();
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "bigint":
      return value.toString();
    case "object":
      return value === null
        ? null
        : (conversion.bytes(value) ?? convertObject(value, path, conversion));
    default:
      return undefined;
  }
}

function convertObject(
  value: object,
  path: readonly object[],
  conversion: Conversion,
): JsonValue | undefined {
  if (path.includes(value)) return null;
  if (path.length === conversion.levels) {
    conversion.onCut?.();
    return textOfDeep(value);
  }
  const inner = [...path, value];
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return convert(value.toJSON() as unknown, inner, conversion);
  }
  if (Array.isArray(value)) {
    // A loop, because map would keep the holes of a sparse list.
    return Array.from(value, (item: unknown) => convert(item, inner, conversion) ?? null);
  }
  const result: Record<string, JsonValue> = {};
  for (const [field, item] of Object.entries(value)) {
    const converted = convert(item, inner, conversion);
    if (converted !== undefined) setField(result, field.toWellFormed(), converted);
  }
  return result;
}

/** The levels that every function for JSON can follow, with room on the stack. */
const deepest = 520;

/** The levels of a value that an object has some levels further in. */
const limited = 500;

function textOfDeep(value: object): string {
  try {
    return JSON.stringify(value).toWellFormed();
  } catch {
    return "[nested too deeply]";
  }
}

/** An object under construction. */
export type MutableObject = Record<string, JsonValue | undefined>;

/** Defines a field, because assigning to `__proto__` would change the prototype. */
export function setField(target: MutableObject, field: string, value: JsonValue | undefined): void {
  if (field === "__proto__") {
    Object.defineProperty(target, field, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  } else {
    target[field] = value;
  }
}
