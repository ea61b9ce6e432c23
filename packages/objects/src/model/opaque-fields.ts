import type { JsonValue } from "./json.ts";

/**
 * The opaque fields inside a value, by name: `true` for a field that is opaque itself, and the opaque fields inside it
 * for another. The items of a list are at the place of the list.
 */
interface OpaqueFields {
  readonly [field: string]: OpaqueInside;
}

/** What is opaque in a value: all of it, some of its fields, or nothing. */
export type OpaqueInside = true | OpaqueFields | undefined;

/**
 * The opaque fields of each object type: they contain data of providers and tools. Nothing in them is a reference, and an
 * export keeps the order of their keys. All other fields of every type are searched for references at any depth (§7.2).
 */
const opaqueByType: Readonly<Record<string, OpaqueFields>> = {
  toolcall: { args: true, details: true, blocks: true },
  user: { blocks: true },
  chat: {
    turns: { user: true, steps: { assistant: true, assistant_meta: true, opaque: true } },
    compaction: { opaque: true },
  },
  view: { entries: true, memory: true },
};

/** Returns the opaque fields of an object; undefined for a type without such fields. */
export function opaqueFields(body: {
  readonly [field: string]: JsonValue | undefined;
}): OpaqueInside {
  const { type } = body;
  return typeof type === "string" ? opaqueAt(opaqueByType, type) : undefined;
}

/** Returns what is opaque in a field of a value of which `of` is opaque. */
export function opaqueAt(of: OpaqueInside, field: string): OpaqueInside {
  if (of === true || of === undefined) return of;
  return Object.hasOwn(of, field) ? of[field] : undefined;
}
