import { isJsonObject, type JsonValue } from "@self-context-manager/objects";

/**
 * Writes a JSON value as EDN, which is what XTDB reads queries in. Texts are escaped as in JSON, and the fields of
 * objects are texts.
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
  // A large number is written as JavaScript writes it, 1e+21, which EDN takes too.
  return JSON.stringify(value);
}

/** The body of a query: the query as EDN, its arguments as values. */
export function queryBody(query: string, args: readonly JsonValue[]): string {
  return `{:query ${query}\n :in-args ${edn(args)}}`;
}
