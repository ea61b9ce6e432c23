import { isJsonObject, type JsonValue } from "@self-context-manager/objects";

/**
 * Writes a JSON value as EDN, the format in which XTDB reads queries. Strings are escaped as in JSON, and the keys of
 * objects are strings.
 */
export function edn(value: JsonValue): string {
  if (value === null) return "nil";
  if (Array.isArray(value)) {
    return `[${(value as readonly JsonValue[]).map(edn).join(" ")}]`;
  }
  if (isJsonObject(value)) {
    const entries = Object.entries(value).flatMap(([field, item]) =>
      item === undefined ? [] : [`${JSON.stringify(field)} ${edn(item)}`],
    );
    return `{${entries.join(" ")}}`;
  }
  // EDN accepts large numbers in JavaScript's form, 1e+21.
  return JSON.stringify(value);
}

/** Returns the body of a query request, with the query in EDN and its arguments as values. */
export function queryBody(query: string, args: readonly JsonValue[]): string {
  return `{:query ${query}\n :in-args ${edn(args)}}`;
}
